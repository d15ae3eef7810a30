"""Names from outside never become shell syntax: whatever a disk or a person calls itself, nothing of it is run."""

import string
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.emit.pretend import disk, machine_for, script_for, small_design

from poolwright.domain.design import Dataset, Setting
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.emit.commands import plan_actions, shell_text
from poolwright.emit.names import comment, quote

INJECTIONS = (
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    '"; touch owned; "',
    "\ntouch owned\n",
    "\r\ntouch owned #",
    "x\\\ntouch owned",
    "-f",
    "--force",
    "${IFS}touch${IFS}owned",
    "| touch owned",
    "& touch owned &",
    "> owned",
    "*",
    "~root",
    "!!",
    "owned\x00",
    "\x1b]0;owned\x07",
    "диск\u202eowned",
    "line\u2028touch owned",
    "END\ntouch owned",
    "disk a b\n}\ntouch owned\nx() {",
    "#\ntouch owned",
    "%s%n%q",
    "\udc80",
    "",
)
hostile = st.sampled_from(INJECTIONS) | st.text(
    alphabet=st.sampled_from(string.printable + "äж\u2028\u202e\x00\x1b"), max_size=30
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(serial=hostile, model=hostile, vendor=hostile, name=hostile, reason=hostile, value=hostile)
def test_that_no_text_of_a_design_is_ever_run(
    serial: str, model: str, vendor: str, name: str, reason: str, value: str
) -> None:
    bad = disk(1, serial=serial, model=model, vendor=vendor, firmware=value)
    plain = small_design()
    design = small_design(
        name=name,
        disks=(plain.disks[0], bad, plain.disks[2]),
        datasets=(
            *plain.datasets,
            Dataset(name="x", settings=(Setting(name="org.x:note", value=value, reason=reason),)),
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_for(replace(design, disks=(plain.disks[0], disk(1), plain.disks[2])), Path(folder) / "m")
        try:
            script = script_for(design, machine)
        except UserError:
            assert any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in value)
            return
        except Refusal as refusal:
            # A value that OpenZFS would not keep is refused before anything is written.
            if not all("org.x:note" in reason for reason in refusal.reasons):
                raise
            return
        script.encode("utf-8")
        result = machine.run(script, "--yes-create", "tank")
        assert list((Path(folder) / "m/cwd").iterdir()) == []
        create = [f"/dev/disk/by-id/ata-ST6000NM0034_ZAD0000{n}" for n in range(3)]
        for call in result.creates():
            assert call[-5:] == ["mirror", create[0], create[1], "spare", create[2]]
        if result.status == 0:
            assert ["zfs", "create", "-o", f"org.x:note={value}", "tank/x"] in result.calls


@pytest.mark.slow
@pytest.mark.parametrize("injection", [i for i in INJECTIONS if i and "\udc80" not in i and "\x00" not in i])
def test_that_a_hostile_serial_is_compared_as_text(injection: str, tmp_path: Path) -> None:
    plain = small_design()
    design = small_design(disks=(disk(0, serial=injection + "Z"), *plain.disks[1:]))
    machine = machine_for(design, tmp_path / "machine")
    result = machine.run(script_for(design, machine), "--yes-create", "tank")
    assert list((machine.root / "cwd").iterdir()) == []
    machine.tell("sda", "serial", "honest")
    other = machine_for(design, tmp_path / "other")
    other.tell("sda", "serial", "honest")
    refused = other.run(script_for(design, other), "--yes-create", "tank")
    assert refused.status == 1
    assert refused.changes() == []
    assert result.status in (0, 1)


@pytest.mark.parametrize(
    "injection",
    [
        injection
        if injection in ("$(touch owned)", "'; touch owned; '", "\ntouch owned\n", "--force")
        else pytest.param(injection, marks=pytest.mark.slow)
        for injection in INJECTIONS
        if injection and "\x00" not in injection
    ],
)
def test_that_a_lying_tool_cannot_run_anything(injection: str, tmp_path: Path) -> None:
    design = small_design()
    machine = machine_for(design, tmp_path / "machine")
    for fact in ("serial", "size", "sector", "blkid", "wipefs", "udev", "smartctl", "mount", "type", "read_only"):
        machine.tell("sda", fact, injection)
    result = machine.run(script_for(design, machine), "--yes-create", "tank")
    assert result.status == 1
    assert result.rehearsals() == []
    assert list((machine.root / "cwd").iterdir()) == []


@pytest.mark.parametrize(
    "by_id",
    [*INJECTIONS, "../sda", "ata-x/../../sda", "ata x", "ata-x;reboot", "ata-é", ".", "..", "a" * 300, "ata-X-part1"],
)
def test_that_a_disk_with_only_a_hostile_by_id_name_is_refused(by_id: str) -> None:
    plain = small_design()
    design = small_design(disks=(disk(0, by_id=(by_id,)), *plain.disks[1:]))
    with pytest.raises(Refusal) as error:
        plan_actions(design)
    assert len(error.value.reasons) == 1


@pytest.mark.parametrize(
    "name", ["mirror", "c0t0", "a b", "../x", "-f", "$(touch owned)", "tank\n", "tank;x", "tänk", ""]
)
def test_that_a_hostile_pool_name_gives_no_script(name: str) -> None:
    with pytest.raises(UserError):
        plan_actions(small_design(pool_name=name))


@pytest.mark.parametrize("name", ["$(touch owned)", "a ", "../x", "a//b", "/a", "a/", "-x", "a/-x", "a@b", "a\n"])
def test_that_a_hostile_dataset_name_gives_no_script(name: str) -> None:
    with pytest.raises(UserError):
        plan_actions(small_design(datasets=(Dataset(name=name),)))


@given(st.text())
def test_that_quoting_gives_exactly_one_word_or_refuses(text: str) -> None:
    try:
        quoted = quote(text)
    except UserError:
        assert any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in text)
        return
    assert "\n" not in quoted


@settings(max_examples=30, deadline=None)
@given(st.lists(hostile.filter(lambda t: "\x00" not in t), min_size=1, max_size=5))
def test_that_a_shell_reads_quoted_words_back(words: list[str]) -> None:
    try:
        line = " ".join(quote(word) for word in words)
    except UserError:
        return
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words


@given(st.text())
def test_that_a_comment_is_one_printable_line(text: str) -> None:
    shown = comment(text)
    assert len(shown.splitlines()) <= 1
    assert all(c.isprintable() for c in shown)
    assert len(shown) <= 200


@settings(max_examples=50, deadline=None)
@given(name=hostile, value=hostile)
def test_that_the_live_commands_are_as_safe_as_the_script(name: str, value: str) -> None:
    try:
        text = shell_text(plan_actions(small_design(pool_settings=(Setting(name=name, value=value),))))
    except PoolwrightError:
        return
    before = "zpool set" if ":" in name else "-o"  # zpool create takes no property of a user
    assert f"{before} {quote(f'{name}={value}')}" in text
