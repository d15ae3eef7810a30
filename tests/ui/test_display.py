"""Without a display the program says so and shows what it can on the terminal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from poolwright.domain.errors import EnvironmentFailure
from poolwright.paper import display
from poolwright.shipped import shipped

WITHOUT = {k: v for k, v in os.environ.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}}

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")


@linux_only
@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":4711"}, "The display :4711 does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": "/nowhere"}, "no Wayland display at /nowhere/wayland-9"),
        ({"QT_QPA_PLATFORM": "xcb"}, "DISPLAY is not set"),
    ],
)
def test_that_a_missing_display_is_named(environment: dict[str, str], reason: str) -> None:
    assert reason in (display.no_display(environment) or "")


@linux_only
@pytest.mark.parametrize("platform", ["offscreen", "minimal", "vnc:port=5900", "offscreen;xcb"])
def test_that_platforms_without_a_screen_need_none(platform: str) -> None:
    assert display.no_display({"QT_QPA_PLATFORM": platform}) is None


def test_that_missing_libraries_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "shipped", lambda _: {"libno-such-thing.so.9": "libno-such-thing9"})
    monkeypatch.setattr(display, "_PLUGINS", {"xcb": "libqxcb.so"})
    real = display._load

    def load(library: str) -> str:
        return "libno-such-thing.so.9: cannot open shared object file" if "libqxcb" in library else real(library)

    monkeypatch.setattr(display, "_load", load)
    with pytest.raises(EnvironmentFailure) as caught:
        display.check_libraries({"DISPLAY": ":0"})
    assert "apt-get install -y libno-such-thing9" in caught.value.text


def test_that_every_library_is_one_that_setup_installs() -> None:
    listed = Path(__file__).parents[2].joinpath("packaging", "system-packages.txt").read_text()
    packages = {line.split()[1] for line in listed.splitlines() if line.startswith("run ")}
    assert set(shipped("qt_libraries").values()) <= packages


@pytest.mark.slow
@linux_only
def test_that_without_a_display_the_recommendation_is_printed(tmp_path: Path) -> None:
    environment = WITHOUT | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "poolwright"], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert ended.returncode == 0
    assert "There is no display here" in ended.stderr
    assert "raidz2" in ended.stdout
