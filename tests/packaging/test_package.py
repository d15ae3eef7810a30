"""What the package brings along: manual page, completions, desktop file, and what of Qt is left out."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from poolwright.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]


def module(name: str) -> ModuleType:
    """Return a module of the folder packaging, which is not on the path."""
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", ROOT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made  # dataclasses look there
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    module("describe").main(folder, "0.1.0", "2026-11-24")
    return folder


def test_that_each_command_has_a_manual_page_with_its_options_and_examples(share: Path) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in (share / "man/man1").iterdir()}
    assert set(pages) == {"poolwright.1", *(f"poolwright-{command}.1" for command in COMMANDS)}
    assert r"\-\-goal safety|concurrent|speed|space" in pages["poolwright-recommend.1"]
    assert "poolwright recommend \\-\\-example" in pages["poolwright-recommend.1"]
    assert not [line for page in pages.values() for line in page.splitlines() if line.startswith("'")]


def test_that_the_pages_of_commands_are_there_in_each_language(share: Path) -> None:
    told = (share / "man/de/man1/poolwright-capacity.1").read_text(encoding="utf-8")
    assert '.SH "BEZEICHNUNG"\npoolwright\\-capacity \\- Platz' in told
    assert (share / "man/zh_CN/man1/poolwright-capacity.1").is_file()


def completed(share: Path, *words: str) -> list[str]:
    """Return what bash offers for the last of the words."""
    script = share / "bash-completion/completions/poolwright"
    line = " ".join(f"'{word}'" for word in words)
    program = (
        f"compopt() {{ :; }}; . {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _poolwright; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def test_that_bash_completes_commands_options_and_values(share: Path) -> None:
    assert completed(share, "poolwright", "rec") == ["recommend"]
    assert completed(share, "poolwright", "recommend", "--goa") == ["--goal"]
    assert completed(share, "poolwright", "recommend", "--goal", "s") == ["safety", "speed", "space"]
    assert completed(share, "poolwright", "disks", "--example", "pa") == ["paper"]
    assert completed(share, "poolwright", "script", "-o", "autot") == ["autotrim="]


def test_that_zsh_and_fish_know_every_command(share: Path) -> None:
    zsh = (share / "zsh/vendor-completions/_poolwright").read_text(encoding="utf-8")
    fish = (share / "fish/vendor_completions.d/poolwright.fish").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"\n    {command}) _arguments" in zsh
        assert f"-a {command} -d" in fish


def test_that_the_desktop_opens_designs_with_the_program() -> None:
    entry = (ROOT / "packaging/desktop/poolwright.desktop").read_text(encoding="utf-8")
    kinds = ET.parse(ROOT / "packaging/desktop/poolwright.mime.xml").getroot()
    (kind,) = (each.attrib["type"] for each in kinds)
    assert f"\nMimeType={kind};\n" in entry
    assert "\nExec=poolwright %f\n" in entry


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.so", True),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/platforms/libqminimalegl.so", False),
        ("PySide6/Qt/plugins/imageformats/libqtiff.so", False),
    ],
)
def test_that_only_plugins_the_window_loads_come_along(name: str, kept: bool) -> None:
    assert (module("trim").PLUGINS.search(name) is not None) == kept


def test_that_sorting_in_our_languages_is_kept_of_icu() -> None:
    pattern = module("trim").ICU_KEPT
    assert all(pattern.fullmatch(f"coll/{name}.res") for name in ("root", "de", "zh", "en"))
    assert not pattern.fullmatch("curr/de.res")
    assert not pattern.fullmatch("coll/ja.res")
