"""The answer first: what a pipe of 80 columns gets of each command, and what stands behind --why and --all."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.test_improve_command import STATUS
from tests.command_line import poolwright, printed, written

from poolwright.cli.main import ALIASES, COMMANDS
from poolwright.emit.report import Terminal, table, terminal_lines

MACHINES = (
    ("--example", "thesis", "--capacity", "80TB"),
    ("--example", "paper"),
    ("--example", "macblog"),
    ("--example", "wikibook"),
    ("--disks", "2 x 4TB"),
    ("--disks", "8 x 4TB", "--preset", "vm-images"),
    ("--disks", "8 x 16TB", "2 x 400GB nvme PLP", "--preset", "vm-images"),
    ("--disks", "24 x 16TB", "--preset", "backup-target", "--price", "289 EUR"),
    ("--disks", "15 x 20TB shelf=1", "15 x 20TB shelf=2", "15 x 20TB shelf=3"),
    ("--disks", "4 x 4TB", "4 x 8TB", "2 x 1TB ssd", "--goal", "space"),
    ("--disks", "12 x 16TB hdd", "8 x 1.92TB ssd plp", "--preset", "vm-images", "--preset", "media-archive"),
)


def piped(*words: str) -> list[str]:
    """Return the lines that a pipe gets."""
    done = poolwright(*words, piped=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("machine", MACHINES, ids=" ".join)
def test_that_a_recommendation_is_one_screen_with_the_command_in_it(machine: tuple[str, ...]) -> None:
    lines = piped("recommend", *machine)
    assert len(lines) <= 34
    assert " usable (" in " ".join(lines[:2])
    assert any(line.strip().startswith("zpool create ") for line in lines)
    assert any(line.startswith("Next:  poolwright recommend ") for line in lines[-2:])
    if "partitions" in lines[0]:
        assert any(line.endswith(": whole disks") for line in lines)


def test_that_what_no_screen_holds_stands_behind_why_and_all() -> None:
    asked = ("recommend", *MACHINES[0])
    assert "Not chosen:" not in piped(*asked)
    assert {"Not chosen:", "Not searched:"} <= set(piped(*asked, "--why"))
    assert any("random writes" in line for line in piped(*asked, "--all"))


def test_that_prose_wraps_to_the_terminal_and_commands_do_not() -> None:
    lines = piped("recommend", *MACHINES[0], "--why")
    assert all(len(line) <= 80 for line in lines if not line.startswith("Next:"))


def test_that_only_states_have_colours_and_what_a_machine_says_brings_none() -> None:
    rows = table(("Pool", "State"), [("a\x1b[31m", "DEGRADED"), ("b", "ONLINE")])
    text = "".join(terminal_lines([rows], Terminal(colour=True)))
    assert re.findall(r"\x1b\[(\d+)m", text) == ["33", "0", "32", "0"]
    assert "\x1b" not in printed("audit", "--from", "tests/machines/existing/wrong.capture", status=1)


def test_that_a_document_begins_as_the_text_does() -> None:
    document = json.loads(printed("recommend", *MACHINES[0], "--json"))
    assert (document["schema"], document["kind"]) == (1, "poolwright-recommend")
    assert document["answer"]["text"] == " ".join(piped("recommend", *MACHINES[0])[:1])
    assert document["answer"]["usable_bytes"] == document["candidates"][0]["capacity"]["usable_bytes_all_pools"]
    assert document["answer"]["pool_loss_per_year"] == pytest.approx(
        document["candidates"][0]["yearly_loss_any_pool_with_other_causes"]
    )
    assert document["next"][0].startswith("poolwright recommend ")


def test_that_help_shows_what_most_need_and_other_names_mean_the_same() -> None:
    short, whole = printed("--help"), printed("--help", "--all")
    assert len(re.findall("(?m)^  [a-z]", short)) <= 15
    assert all(
        f"\n  {name} " in whole for name in {**dict.fromkeys(COMMANDS), **ALIASES} if name not in ALIASES.values()
    )
    assert printed("disks", "--example", "paper") == printed("inventory", "--example", "paper")


def test_that_a_file_is_written_with_w_and_named_in_the_next_command(tmp_path: Path) -> None:
    saved, script = str(tmp_path / "tank.json"), str(tmp_path / "create.md")
    lines = piped("recommend", "--disks", "4 x 4TB", "--save-design", saved)
    assert f"Saved: {saved}" in lines
    # No script can name disks that are typed.
    assert f"Next:  poolwright bind {saved} --from CAPTURE -w tank-bound.json" in lines
    lines = piped("recommend", "--example", "paper", "--save-design", saved, "--force")
    assert f"Next:  poolwright script {saved} -w create-tank.sh" in lines
    assert printed("capacity", saved, "-w", script) == f"Saved: {script}\n"
    assert "# raidz1 of 3" in (tmp_path / "create.md").read_text(encoding="utf-8")


def test_that_a_pool_which_cannot_hold_its_data_says_so_first() -> None:
    lines = poolwright("grow", "--layout", "raidz2:6x6TB", "--used", "90TiB", piped=True)
    assert (lines.returncode, lines.stdout[:12]) == (1, "Does not fit")


def test_that_flash_is_judged_once_for_deduplication_and_by_the_drives_that_are_there() -> None:
    text = printed("flash", "--layout", "raidz2:6x6TB", "--disks", "6 x 6TB", "2 x 960GB nvme plp")
    assert text.count("no duplicates are known") <= 2  # in the table and with its reasons
    assert "It takes a mirror of 3; flash drives there: 2." in text


def test_that_help_names_a_command_as_it_was_typed() -> None:
    assert printed("fill", "--help").startswith("usage: poolwright fill ")
    assert "poolwright growth" not in printed("grow", "--help")


def test_that_disks_of_another_machine_are_told_to_be_such(tmp_path: Path) -> None:
    status = written(tmp_path / "status.txt", STATUS)
    listing = "lrwxrwxrwx 1 root root 9 Nov 26 10:00 ata-WDC_WD20EFRX-68EUZN0_WD-WCC4M10111 -> ../../sda\n"
    byid = written(tmp_path / "byid.txt", f"/dev/disk/by-id:\ntotal 0\n{listing}")
    assert "None of the disks of tank is among the 1 that were read" in printed(
        "audit", "--from", str(status), str(byid)
    )
