"""Who hears the window instead of seeing it learns what every control is, on every page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import poolwright

READER = Path(__file__).parent / "screen_reader.py"
BUS = "/usr/libexec/at-spi-bus-launcher"
# What a control may be that one can go to; of a table and a tree the cells are heard.
WITHOUT_NAME = {"label", "filler", "scroll bar", "table cell", "unknown", "image", "panel"}

pytestmark = [
    pytest.mark.display,
    pytest.mark.skipif(os.environ.get("QT_QPA_PLATFORM") != "xcb", reason="needs QT_QPA_PLATFORM=xcb and a display"),
    pytest.mark.skipif(not Path(BUS).exists(), reason="make test-display installs AT-SPI"),
]

BESIDE = """
{bus} --launch-immediately >/dev/null & bus=$!
{program} "$1" >/dev/null & program=$!
{python} "$2"; heard=$?
kill "$program" "$bus"; wait
exit "$heard"
"""


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    """Return what is heard on each page of a window with a design."""
    home = tmp_path_factory.mktemp("home")
    assert poolwright("recommend", "--example", "thesis", "--save-design", str(home / "tank.json")).returncode == 0
    script = BESIDE.format(bus=BUS, program=Path(sys.executable).parent / "poolwright", python="/usr/bin/python3")
    own = {"HOME": str(home), "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "XDG_RUNTIME_DIR": str(home)}
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", script, "bash", str(home / "tank.json"), str(READER)],
        env=os.environ | own, check=False, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    return pages


def test_that_every_page_is_reached_by_what_a_screen_reader_can_do(heard: dict[str, list[dict[str, object]]]) -> None:
    assert len(heard) == 13
    for title, parts in heard.items():
        titles = [part["name"] for part in parts if part["about"] == "Page title"]
        assert titles == [title] or title == "Start", title


def test_that_every_control_that_one_can_go_to_has_a_name(heard: dict[str, list[dict[str, object]]]) -> None:
    for title, parts in heard.items():
        nameless = [p for p in parts if p["reached"] and not p["name"] and p["role"] not in WITHOUT_NAME]
        assert not nameless, (title, nameless)


def test_that_labels_are_heard_as_they_are_read(heard: dict[str, list[dict[str, object]]]) -> None:
    assert {"Alternatives", "First choice"} <= {part["name"] for part in heard["Layouts"] if part["role"] == "label"}
    assert sum(len(str(part["name"]).split()) for part in heard["Budget"] if part["role"] == "label") <= 160
