"""The guide as HTML, for reading beside the program: ``python packaging/guide.py FOLDER [--pictures]``.

Each language that has pages of its own gets a folder within it.

A file a page, each with the contents beside it, and all of it in one file, which a browser searches. The pictures are
of the program itself, with an example machine in it: each stands on the page that F1 opens there.
"""

import contextlib
import html
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from poolwright.cli.main import run
from poolwright.guide import CONTENTS, GuidePage, guide_pages
from poolwright.languages import NAMES, choose
from poolwright.paths import resources_folder
from poolwright.rule_library import load_shipped
from poolwright.shipped import shipped
from poolwright.texts import language
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow, tell_in
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

STYLE = """
:root{color-scheme:light dark;--line:#c9d1d8;--code:#f2f4f6;--accent:#0b6477}
@media(prefers-color-scheme:dark){:root{--line:#3b444c;--code:#22282d;--accent:#6cc5d8}}
body{margin:0 auto;max-width:74rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}
body>div{display:flex;flex-wrap:wrap;gap:0 3rem}
nav{flex:0 0 15rem;font-size:.9rem}nav h1{font-size:1.1rem}
nav h2{font-size:.8rem;margin:1rem 0 .2rem;text-transform:uppercase}
nav ul{list-style:none;margin:0;padding:0}nav p{display:none}
main{flex:1 1 32rem;min-width:0;max-width:50rem}article+article{border-top:1px solid var(--line);margin-top:3rem}
@media(max-width:48rem){nav{order:1}}
a{color:var(--accent)}[aria-current]{font-weight:bold}
pre{background:var(--code);padding:.6rem .8rem;white-space:pre-wrap}code{font-size:.9em;background:var(--code)}
table{border-collapse:collapse}
th,td{border-bottom:1px solid var(--line);padding:.25rem 1rem .25rem 0;text-align:left;vertical-align:top}
img{max-width:100%;height:auto;border:1px solid var(--line)}
"""
WHOLE = "all"
ON_ONE_PAGE = {"en": "The whole guide on one page", "de": "Der ganze Leitfaden auf einer Seite", "zh-CN": "单页版指南"}


def article(page: GuidePage, links: str, pictures: Path | None) -> str:
    """Return a page as HTML; ``links`` is what a link to another page becomes, {} being its name."""
    text = MarkdownIt("commonmark").enable("table").render(page.text)
    text = re.sub(r'href="([a-z0-9-]+)\.md"', lambda found: f'href="{links.format(found[1])}"', text)
    for place, name in shipped("guide")["window"].items():
        if name == page.name and pictures is not None and (pictures / f"{file_of(place)}.png").is_file():
            shown = html.escape(place.replace(":", ", "))
            text += f'<p><img src="pictures/{file_of(place)}.png" alt="{shown}" width="1280" height="800"></p>'
            break
    return f'<article id="{page.name}">{text}</article>'


def file_of(place: str) -> str:
    return place.replace(":", "-")


def document(title: str, contents: str, main: str) -> str:
    beside = f"<nav>{contents}</nav>" if contents else ""
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><div>{beside}<main>{main}</main></div></body></html>\n"
    )


def write_pages(folder: Path) -> None:
    pages = guide_pages()
    pictures = folder / "pictures"
    head = pages[CONTENTS]
    beside = GuidePage(CONTENTS, head.title, f"{head.text}\n- [{ON_ONE_PAGE[language()]}]({WHOLE}.md)\n")
    contents = article(beside, "{}.html", None)
    for page in pages.values():
        here = contents.replace(f'href="{page.name}.html"', f'href="{page.name}.html" aria-current="page"')
        text = document(
            page.title, "" if page is head else here, article(beside if page is head else page, "{}.html", pictures)
        )
        (folder / f"{page.name}.html").write_text(text, encoding="utf-8")
    order = dict.fromkeys([CONTENTS, *re.findall(r"\]\(([a-z0-9-]+)\.md\)", head.text)])
    whole = "".join(article(pages[name], "#{}", pictures) for name in order)
    (folder / f"{WHOLE}.html").write_text(document(head.title, "", whole), encoding="utf-8")


def take_pictures(folder: Path, code: str) -> None:
    """Open the window out of sight, with the first choice for an example machine, and picture what F1 tells of."""
    os.environ.update(HOME=(home := tempfile.mkdtemp()))
    os.environ.update(XDG_CONFIG_HOME=home, XDG_DATA_HOME=home)
    folder.mkdir(exist_ok=True)
    tell_in(code)
    theme().choose(Scheme.LIGHT)
    design = Path(home, "tank.json")
    asked = "recommend --example thesis --goal safety --capacity 80TB --pool tank --title tank --save-design"
    with contextlib.redirect_stdout(io.StringIO()):
        run([*asked.split(), str(design)])
    window = MainWindow(Session(), Preferences())
    window.session.set_rules(load_shipped())
    window.session.start_from(example("thesis"))
    window.open_design_file(design)
    window.resize(1280, 800)
    window.show()
    for place in shipped("guide")["window"]:
        name, __, part = place.partition(":")
        window.ask(name, part or None)
        QTest.qWait(1500)  # some pages begin to search when they are looked at
        for __ in range(100):
            if not window.session.jobs.jobs:
                break
            QTest.qWait(300)
        QTest.qWait(500)
        window.grab().save(str(folder / f"{file_of(place)}.png"))
    window.close()


def main(folder: Path, *more: str) -> None:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _application = QApplication(["guide", "-style", "Fusion"])
    for code in NAMES:
        own = folder if code == "en" else folder / code
        if code != "en" and not (resources_folder() / "guide" / code).is_dir():
            continue
        own.mkdir(parents=True, exist_ok=True)
        choose(code)
        if "--pictures" in more:
            take_pictures(own / "pictures", code)
        write_pages(own)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
