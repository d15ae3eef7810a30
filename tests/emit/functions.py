"""Single functions of a script, called by bash on a pretended machine: what each says where one thing is wrong.

A whole run asks every disk twice and takes a second; one function, with the design of the script known, some ms.
"""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cases import table
from tests.emit.pretend import Machine

# Each trial has the facts of the machine as they were before; `tell` is that of the machine, `tool` lets one fail.
_AROUND: str = table(__file__, "around")


def asked(machine: Machine, script: str, trials: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what functions of a script print in each trial, by its name; the last line is ``status N``.

    A trial is a line of shell, run in a shell of its own that has read the whole script and taken its design apart.
    """
    head, main, end = script.rpartition('\nmain "$@"\n')
    assert main
    lines = [f"trial {shlex.quote(name)} {shlex.quote(commands)}" for name, commands in trials.items()]
    path = machine.root / "asked.sh"
    around = _AROUND.format(root=shlex.quote(str(machine.root)))
    path.write_text("\n".join([head, around, *lines, end]), encoding="utf-8")
    done = subprocess.run(
        ["bash", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd=machine.root / "cwd",
        env={"PATH": f"{machine.root / 'bin'}:/usr/bin:/bin", "POOLWRIGHT_LOG": str(machine.root / "log")},
        timeout=120,
        start_new_session=True,
        check=True,
    )
    told: dict[str, list[str]] = {name: [] for name in trials}
    for line in done.stdout.decode(errors="replace").splitlines():
        name, _, text = line.partition("\t")
        told[name].append(text)
    return told


def endings(told: dict[str, list[str]]) -> dict[str, tuple[int, str]]:
    """Return the status of each trial and what it said, in one text."""
    return {name: (int(lines[-1].split()[1]), "\n".join(lines[:-1])) for name, lines in told.items()}


def check_shell(*scripts: Path) -> None:
    """Bash reads each script, and shellcheck finds nothing in any."""
    for script in scripts:
        subprocess.run(["bash", "-n", script], check=True)
    shellcheck = Path(sys.executable).parent / "shellcheck"
    done = subprocess.run([shellcheck, *scripts], stdout=subprocess.PIPE, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
