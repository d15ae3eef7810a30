"""The command line as tests call it: in this process, or as a process of its own."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from poolwright.cli import output
from poolwright.cli.main import run
from poolwright.emit.report import ALL, WHY, Terminal

_EVERYTHING = frozenset({WHY, ALL}), Terminal()


def poolwright(*args: str, stdin: str = "", piped: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process: a second one would load program and rules anew each time.

    It prints all that --why and --all show, in lines as long as they are; where it is ``piped``, what a pipe gets.
    """
    view = output.view_of if piped else lambda _: _EVERYTHING
    out, given = (io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="") for text in (b"", stdin.encode()))
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), patch.object(sys, "stdin", given), \
            patch.object(output, "view_of", view):  # fmt: skip
        try:
            status = run(list(args))
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
    out.seek(0)
    return subprocess.CompletedProcess(args, status, out.read(), err.getvalue())


def printed(*args: str, status: int = 0, stdin: str = "") -> str:
    done = poolwright(*args, stdin=stdin)
    assert done.returncode == status, done.stderr
    return done.stdout


def refused(*args: str, status: int = 2) -> str:
    """Return what a command that ends with this status says on standard error."""
    done = poolwright(*args)
    assert done.returncode == status, done.stderr
    return done.stderr


def answer_of(*args: str, status: int = 0, stdin: str = "") -> Any:
    """Return the JSON document that a command prints."""
    return json.loads(printed(*args, "--json", status=status, stdin=stdin))


def own_process(*args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "poolwright", *args]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)


def written(path: Path, text: str) -> Path:
    """Return ``path``, with a file of this text."""
    path.write_text(text, encoding="utf-8")
    return path
