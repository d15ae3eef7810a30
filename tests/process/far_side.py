"""A client of SSH whose far side is this machine: what runs there has a session of its own, and only its pipes."""

import os
import signal
import sys
from pathlib import Path

import pytest

# As ssh: all of its input is handed on, its end as well; `down` beside it is a network that is gone.
_CLIENT = """#!{python}
import os, shutil, signal, subprocess, sys, threading
here = os.path.dirname(os.path.abspath(__file__))
if os.path.exists(here + "/down"):
    sys.exit(print("ssh: connect to host far: Network is unreachable", file=sys.stderr) or 255)
print(os.getpid(), file=open(here + "/clients", "a"))
far = subprocess.Popen(
    ["sh", "-c", sys.argv[-1]],
    stdin=subprocess.PIPE,
    start_new_session=True,
    env={{"PATH": os.environ["PATH"]}},
    preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
)
def hand_on():
    while chunk := os.read(0, 65536):
        far.stdin.write(chunk)
        far.stdin.flush()
    far.stdin.close()
threading.Thread(target=hand_on, daemon=True).start()
sys.exit(far.wait() % 256)
"""


class FarSide:
    """Reached while `lose` was not called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        client = folder / "ssh"
        client.write_text(_CLIENT.format(python=sys.executable), encoding="utf-8")
        client.chmod(0o755)

    def lose(self) -> None:
        """Kill every client, and let none through any more."""
        (self._folder / "down").touch()
        self._signal(signal.SIGKILL)

    def silence(self) -> None:
        """Let nothing through any more, in either direction, and close nothing: as a cable that is pulled."""
        (self._folder / "down").touch()
        self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> None:
        for pid in (self._folder / "clients").read_text(encoding="utf-8").split():
            try:
                os.kill(int(pid), number)
            except ProcessLookupError:
                continue


@pytest.fixture
def far_side(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> FarSide:
    """Return a far side that ``ssh`` reaches by any name."""
    folder = tmp_path_factory.mktemp("client")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return FarSide(folder)
