"""How the shell reads the scripts: whole or not at all, by bash only, with nothing of the caller's surroundings."""

import shutil
import subprocess
from collections.abc import Iterable

import pytest
from tests.emit.pretend import STAMP, Machine, script_for, small_design

from poolwright.emit.script import FIXED_PART, undo_script


def scripts(machine: Machine) -> dict[str, str]:
    undo = machine.here(undo_script(small_design(), STAMP))
    return {"create": script_for(small_design(), machine), "undo": undo}


def run_as(machine: Machine, shell: Iterable[str], script: bytes, **variables: str) -> tuple[int, str]:
    """Run a script with ``--check`` and return its status and all it said; the tools record their calls."""
    path = machine.root / "given.sh"
    path.write_bytes(script)
    done = subprocess.run(
        [*shell, path, "--check"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=machine.root / "cwd",
        env={"PATH": f"{machine.root / 'bin'}:/usr/bin:/bin", "POOLWRIGHT_LOG": str(machine.root / "log")} | variables,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode(errors="replace")


def calls(machine: Machine) -> bytes:
    return (machine.root / "calls").read_bytes()


def cuts(script: bytes, step: int) -> list[bytes]:
    lines = script.splitlines(keepends=True)
    found = [b"".join(lines[:n]) for n in range(step, len(lines), step)]
    amid = [script[:n] for n in range(1, len(script) - 1, 331 * step)]  # also within a line, but for the last newline
    return found + amid + [script[:-n] for n in range(2, 60, step)]


def hold_cut(machine: Machine, step: int) -> None:
    for script in scripts(machine).values():
        text = script.encode()
        guards = text.index(b"\n{ # bash reads")
        for cut in cuts(text, step):
            status, said = run_as(machine, ["bash"], cut)
            assert status != 0 or (len(cut) < guards and said == ""), cut[-80:]
            assert calls(machine) == b"", cut[-80:]


def test_that_a_script_that_is_cut_off_somewhere_does_nothing(machine: Machine) -> None:
    hold_cut(machine, 97)


@pytest.mark.slow
def test_that_a_script_that_is_cut_off_at_any_line_does_nothing(machine: Machine) -> None:
    hold_cut(machine, 1)


def test_that_a_script_without_its_last_lines_says_so(machine: Machine) -> None:
    status, said = run_as(machine, ["bash"], scripts(machine)["create"].encode()[:-40])
    assert status == 3
    assert said.startswith("This script is cut off")
    assert said.count("\n") == 1


@pytest.mark.parametrize("shell", [["dash"], ["busybox", "sh"], ["bash", "--posix"]])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("kind", ["create", "undo"])
def test_that_another_shell_gets_one_plain_sentence(machine: Machine, shell: list[str], ends: bytes, kind: str) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} here")
    status, said = run_as(machine, shell, scripts(machine)[kind].encode().replace(b"\n", ends))
    assert status == 2
    assert said.startswith("This script is written for bash 4.2 or newer.")
    assert said.count("\n") == 1
    assert calls(machine) == b""


@pytest.mark.parametrize("kind", ["create", "undo"])
def test_that_converted_line_ends_get_one_plain_sentence(machine: Machine, kind: str) -> None:
    status, said = run_as(machine, ["bash"], scripts(machine)[kind].encode().replace(b"\n", b"\r\n"))
    assert status == 3
    assert said.startswith("The lines of this script end with CR LF")
    assert said.count("\n") == 1
    assert calls(machine) == b""


@pytest.mark.parametrize("kind", ["create", "undo"])
def test_that_a_changed_letter_in_the_fixed_part_is_found(machine: Machine, kind: str) -> None:
    design, title, fixed = scripts(machine)[kind].partition(FIXED_PART)
    changed = fixed.replace('"$problem_count" -gt 0', '"$problem_count" -gt 9', 1)
    assert changed != fixed
    status, said = run_as(machine, ["bash"], (design + title + changed).encode())
    assert status == 3
    assert "was changed since it was written" in said
    assert calls(machine) == b""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", ".", ":", "bin:", "/nowhere:.:relative"])
def test_that_no_tool_is_taken_from_the_current_folder(machine: Machine, path: str) -> None:
    bait = machine.root / "cwd" / "zpool"
    bait.write_text(f"#!/bin/sh\ntouch '{machine.root / 'taken'}'\n")
    bait.chmod(0o755)
    for script in scripts(machine).values():
        run_as(machine, [shutil.which("bash") or "bash"], script.encode(), PATH=path)
    assert not (machine.root / "taken").exists()


@pytest.mark.slow
def test_that_functions_and_settings_of_the_caller_do_not_reach_the_script(machine: Machine) -> None:
    taken, slow = machine.root / "taken", machine.root / "bin" / "dd"
    (machine.root / "dev" / "sdb").write_bytes(b"x" * 65536)
    slow.write_text('#!/bin/sh\n[ -e slept ] || { >slept; /bin/sleep 2; }\nexec /usr/bin/dd "$@"\n')
    slow.chmod(0o755)
    status, said = run_as(
        machine,
        ["bash"],
        scripts(machine)["create"].encode(),
        **{"BASH_FUNC_zpool%%": f"() {{ touch '{taken}'; }}", "ZPOOL_VDEV_NAME_GUID": "1", "IFS": "x", "TMOUT": "1"},
    )
    assert status == 0, said
    assert "overwrite 1 disk" in said  # within the second that bash would have waited nothing was read of it
    assert not taken.exists()


@pytest.mark.slow
def test_that_a_script_overwritten_while_it_runs_runs_to_its_end_as_it_was(machine: Machine) -> None:
    given, taken = machine.root / "given.sh", machine.root / "taken"
    script = scripts(machine)["create"].encode()
    bad = machine.root / "bin" / "id"
    bad.unlink()
    line = f"touch '{taken}'\n"
    bad.write_text(f"#!/bin/sh\nyes \"{line.strip()}\" | head -c {len(script) * 2} >'{given}'\necho 0\n")
    bad.chmod(0o755)
    status, said = run_as(machine, ["bash"], script)
    assert given.read_bytes() != script
    assert status == 0, said
    assert said.endswith("Checked. Nothing was changed.\n")
    assert not taken.exists()


@pytest.mark.slow
def test_that_a_second_run_writes_on_in_the_log_of_the_first(machine: Machine) -> None:
    script = scripts(machine)["create"].encode()
    for _ in range(2):
        assert run_as(machine, ["bash"], script)[0] == 0
    log = (machine.root / "log").read_text()
    assert log.count("Checked. Nothing was changed.") == 2
    assert log.count("# Log of a Poolwright script") == 1
