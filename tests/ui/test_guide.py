"""The guide is where one needs it: behind F1, behind every “Why?”, behind the search, and as HTML."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QTableView, QTextBrowser
from tests.texts.brackets import told_in
from tests.ui.controls import named, press_link

from poolwright import guide
from poolwright.guide import guide_pages
from poolwright.paths import resources_folder
from poolwright.rules.rulebook import RuleBook
from poolwright.shipped import shipped
from poolwright.ui.parts.finding_rows import show_why
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.tabbed_page import TabbedPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries

RENDERER = Path(__file__).parents[2] / "packaging" / "guide.py"


def test_that_f1_and_why_lead_to_pages_that_there_are_from_places_that_there_are(
    window: MainWindow, rules: RuleBook
) -> None:
    known = shipped("guide")
    assert {*known["window"].values(), *known["rules"].values()} <= guide_pages().keys()
    places = {entry.name for entry in page_entries()}
    assert places - known["window"].keys() == {"reference"}  # on which F1 opens the contents
    for name in ("design", "reference"):
        page = window.page(name)
        assert isinstance(page, TabbedPage)
        places |= {f"{name}:{part.name}" for part in page.entries()}
    assert known["window"].keys() <= places
    ids = [rule.id for rule in (*rules.rules, *rules.properties)]
    assert [begins for begins in known["rules"] if not any(one.startswith(begins) for one in ids)] == []


def test_that_every_page_of_the_guide_begins_with_a_sentence_that_the_search_shows() -> None:
    assert [page.name for page in guide_pages().values() if not page.about[0].isalpha()] == []


def test_that_why_leads_to_the_page_of_the_guide_on_what_the_rule_judges(window: MainWindow, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    page = window.page_now("design")
    show_why(page, "ashift.below-physical")
    dialog = named(page, ReportView, "Why? Blocks smaller than a physical sector")
    press_link(dialog, "Guide: ashift")
    assert window.current_page() == "reference"
    assert named(window, QTextBrowser, "Guide").toPlainText().startswith("ashift\n")
    assert not dialog.isVisible()


def test_that_the_search_looks_into_every_page_of_the_guide(window: MainWindow) -> None:
    window.page_now("reference").take("guide:space")
    named(window, QLineEdit, "Search the reference").setText("InnoDB")
    table = named(window, QTableView, "Reference")
    titles = [table.model().index(row, 1).data() for row in range(table.model().rowCount())]
    assert "recordsize and volblocksize" in titles
    table.selectRow(titles.index("recordsize and volblocksize"))
    table.activated.emit(table.currentIndex())
    assert named(window, QTextBrowser, "Guide").toPlainText().startswith("recordsize and volblocksize\n")


def test_that_the_guide_has_the_pages_that_the_language_has_and_else_the_english_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(resources_folder() / "guide", tmp_path / "guide")
    (tmp_path / "guide" / "de").mkdir(exist_ok=True)
    (tmp_path / "guide" / "de" / "space.md").write_text("# Platz\n\nWie viel hineingeht.\n", encoding="utf-8")
    english = guide_pages()
    monkeypatch.setattr(guide, "resources_folder", lambda: tmp_path)
    with told_in("de"):
        assert guide_pages()["space"].title == "Platz"
        assert guide_pages().keys() == english.keys()
    assert guide_pages()["space"].title == english["space"].title


def test_that_the_guide_as_html_has_every_page_and_no_link_into_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, RENDERER, tmp_path], check=True)
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert made.keys() == {f"{name}.html" for name in (*guide_pages(), "all")}
    for name, text in made.items():
        links = set(re.findall(r'href="([^"]+)"', text))
        assert links <= {*made, *(f"#{found}" for found in re.findall(r'id="([^"]+)"', text))}, name
    assert all(f'<article id="{name}">' in made["all.html"] for name in guide_pages())
