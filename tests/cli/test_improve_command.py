"""`poolwright improve`: the ranked changes with their costs and commands, and what is refused."""

import shlex
import subprocess
from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.existing_machines import FOLDER
from tests.command_line import answer_of, poolwright, printed, refused, written

from poolwright.cli.main import run
from poolwright.store.design_file import from_json

WRONG = str(FOLDER / "wrong.capture")
TANK = ("improve", "--from", WRONG, "--pool", "tank", "--money", "2000 USD")


def test_that_what_is_wrong_stands_before_what_would_be_nice() -> None:
    text = printed(*TANK)
    assert text.startswith("Fix first: tank ")
    text = printed(*TANK, "--why")
    places = [text.index(title) for title in ("nothing to buy", "\nFirst of all", "Brings little", "Better not")]
    assert places == sorted(places)
    assert "      zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000\n" in text
    attach = "      zpool attach tank /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0001-part1 '/dev/disk/by-id/<new disk 1>'"
    assert f"{attach} && zpool wait -t resilver tank\n" in text


@pytest.mark.slow
def test_that_the_document_has_costs_gains_and_commands_and_a_change_is_kept_as_design(tmp_path: Path) -> None:
    file = tmp_path / "wider.json"
    document = answer_of(*TANK, "--take", "2", "--save-design", str(file))
    assert document["money"] == document["left"]  # what is urgent has no price in the catalogue
    second = document["changes"][1]
    assert (second["kind"], second["urgency"]) == ("widen-raidz", "little")
    assert second["cost"]["currency"] == "USD"
    assert second["after"]["usable_bytes"] > document["now"]["usable_bytes"]
    assert any(line.startswith("zpool attach tank raidz2-0 ") for line in second["commands"])
    assert second["needs_rewrite"]
    design = from_json(file.read_text("utf-8"), where=str(file))
    assert len(design.vdevs[0].members) == 6
    # The design that was kept is what `compare --live` leads to.
    steps = answer_of("compare", str(file), "--live", "--from", WRONG, "--pool", "tank")
    assert [one["step"] for one in steps["differences"]] == ["zpool attach", "zpool attach"]


def test_that_a_machine_without_pools_says_so() -> None:
    assert answer_of("improve", "--example", "thesis")["pool"] is None


# `poolwright migrate`: plans told, written as a script, as JSON, and refused.


GOOD = str(FOLDER / "good.capture")
PAPER = ("migrate", "--now", "mirror:2x6TB", "--stored", "3TB", "--layout", "raidz2:4x6TB", "--buy", "2 x 6TB hdd")


def test_that_a_plan_tells_redundancy_time_room_and_commands() -> None:
    short = poolwright(*PAPER, piped=True).stdout.splitlines()
    assert short[0].startswith("tank moves to raidz2 of 4: 13 steps, 17 h to 45 h, downtime ")
    assert short[1] == "Throughout, any 1 disk may fail. Step 9 and those after it cannot be undone."
    assert len(short) < 30
    text = printed(*PAPER, "--all")
    assert {"      $ zpool destroy tank-old", "      the script asks you to type: destroy tank-old"} <= {
        *text.splitlines()
    }
    assert "<new disk 1>" in text
    assert "/dev/sd" not in text


def test_that_json_has_every_step_with_its_lines() -> None:
    document = answer_of(*PAPER)
    assert document["least_failures_survived"] == 1
    assert document["steps_without_redundancy"] == []
    assert document["no_way_back_from_step"] == 9
    assert document["hours"]["low"] < document["hours"]["typical"] < document["hours"]["high"]
    detach = next(step for step in document["steps"] if step["move"] == "detach")
    assert (detach["whole_copies"], detach["old_copy_survives"], detach["new_copy_survives"]) == (2, 0, 0)
    assert {line["kind"] for line in detach["lines"]} == {"check", "type", "command"}


def test_that_what_leaves_nothing_is_refused_with_status_1() -> None:
    words = ["migrate", "--now", "raidz1:3x6TB", "--stored", "3TB", "--layout", "raidz2:6x6TB", "--buy", "3 x 6TB hdd"]
    assert "--backup-exists" in answer_of(*words, status=1)["todo"]
    assert "the next disk that fails" in refused(*words, status=1)
    assert "no redundancy" in printed(*words, "--backup-exists")


def test_that_disks_which_are_not_there_cannot_be_in_a_script() -> None:
    err = refused(*PAPER, "--format", "sh", status=1)
    assert "disks of this move are planned" in err
    assert "poolwright bind" not in err, "no design is there to bind"


def test_that_a_script_of_a_real_machine_lists_its_steps(tmp_path: Path) -> None:
    file = tmp_path / "migrate.sh"
    words = ("migrate", "--from", GOOD, "--pool", "fast", "--layout", "mirror:2x1TB", "--format", "sh", "-w", str(file))
    printed(*words)
    listed = subprocess.run(["bash", file], capture_output=True, text=True, check=True).stdout
    assert "take the place of nvme-QEMU_NVMe_Ctrl_NV0001" in listed
    assert "4. Scrub once more" in listed
    assert run(list(words)) == 2  # it is there already


STATUS: str = table(__file__, "status")
RAIDZ = STATUS.replace("\t  mirror-1                ONLINE       0     0     0\n", "").replace("mirror-0", "raidz1-0")
RAIDZ = RAIDZ.replace("7.27T", "14.5T")


def test_that_a_pool_moves_to_its_own_disks_by_what_its_status_and_list_tell(tmp_path: Path) -> None:
    source = ("--from", str(written(tmp_path / "status.txt", STATUS)))
    plan = answer_of("migrate", *source, "--layout", "raidz2:5x4TB", "--backup-exists")
    assert plan["hours"]["low"] >= 11.5, "the copy is reckoned by the last scrub"
    assert any("no hot spare" in text for text in plan["warnings"])
    assert any("4 TB, assumed" in text for text in plan["warnings"])
    assert plan["next"] == [], "no script rests on sizes that nobody read"
    script = ("migrate", *source, "--layout", "raidz2:5x4TB", "--backup-exists", "--format", "sh")
    assert "sizes of the disks" in refused(*script, status=1)
    source = ("--from", str(written(tmp_path / "raidz.txt", RAIDZ)))
    assert "belongs to tank itself" in refused("migrate", *source, "--layout", "raidz2:5x4TB", status=1)


def test_that_the_line_that_plans_a_move_or_holds_a_pool_against_its_design_runs_as_printed(tmp_path: Path) -> None:
    source = ("--from", str(written(tmp_path / "status.txt", RAIDZ)))
    found = answer_of("improve", *source)
    moves = [line for one in found["changes"] for line in one["commands"] if line.startswith("poolwright")]
    file = str(tmp_path / "after.json")
    kept = answer_of("improve", *source, "--take", "1", "--save-design", file)["next"]
    assert moves
    for line in (*moves, *kept):
        assert poolwright(*shlex.split(line)[1:]).returncode == 0, line
