"""`poolwright compare DESIGN --live`: what differs, the commands, what cannot be, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.changes.existing_machines import FOLDER, machine
from tests.command_line import answer_of, printed, refused, written

from poolwright.changes.as_design import design_of_pool
from poolwright.cli.main import run
from poolwright.domain.design import Dataset, Setting
from poolwright.store.design_file import to_json

GOOD, WRONG = str(FOLDER / "good.capture"), str(FOLDER / "wrong.capture")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a file with the design of the pool `tank` of the good machine, with a dataset and a property more."""
    inventory = machine("good")
    pool = next(pool for pool in inventory.pools if pool.name == "tank")
    design = design_of_pool(inventory, pool).design
    more = Dataset(name="films", settings=(Setting(name="recordsize", value="1M"),))
    settings = (*(s for s in design.pool_settings if s.name != "autotrim"), Setting(name="autotrim", value="off"))
    return written(
        tmp_path / "tank.json", to_json(replace(design, datasets=(*design.datasets, more), pool_settings=settings))
    )


def test_that_steps_stand_with_their_commands(saved: Path) -> None:
    text = printed("compare", str(saved), "--live", "--from", GOOD)
    assert text.startswith("The pool tank against the design tank: 2 steps, 0 differences stay.\n")
    assert "      zpool set autotrim=off tank\n" in text
    assert "      zfs create -o recordsize=1M tank/films\n" in text


def test_that_the_document_and_the_files_say_the_same(saved: Path, tmp_path: Path) -> None:
    script, report = tmp_path / "change.sh", tmp_path / "change.md"
    words = ("--live", "--from", GOOD, "--json", "--commands", str(script), "--markdown", str(report))
    document = json.loads(printed("compare", str(saved), *words))
    assert document["commands"] == ["zpool set autotrim=off tank", "zfs create -o recordsize=1M tank/films"]
    assert [one["way"] for one in document["differences"]] == ["step", "step"]
    assert document["files"] == [str(script), str(report)]
    for line in document["commands"]:
        assert line in script.read_text("utf-8")
        assert line in report.read_text("utf-8")


def test_that_the_pool_is_that_of_the_design_or_the_one_named(saved: Path) -> None:
    assert answer_of("compare", str(saved), "--live", "--from", WRONG)["pool"] == "tank"
    words = ("--live", "--from", WRONG, "--pool", "rem", "--json")
    other = json.loads(printed("compare", str(saved), *words, status=1))
    assert other["pool"] == "rem"
    assert "full, mixed, old, rem and tank" in refused(
        "compare", str(saved), "--live", "--from", WRONG, "--pool", "none"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--live", "--html", "x.html"), "--html compares designs"),
        (("--commands", "x.sh"), "--commands goes with --live"),
        (("more.json", "--live", "--from", GOOD), "--live takes one design"),
    ],
)
def test_that_what_does_not_go_together_is_refused(saved: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refused("compare", str(saved), *words)


def test_that_a_layout_is_laid_on_the_disks_that_the_pool_has() -> None:
    """Its disks are in use by the very pool that the layout is held against: that refuses nothing."""
    same = answer_of(
        "compare", "--layout", "raidz2:6x6TB", "spare/stripe:1x6TB", "--live", "--from", GOOD, "--pool", "tank"
    )
    assert all(one["place"].split("/")[0] == "tank" for one in same["differences"]), same["differences"]
    wider = printed("compare", "--layout", "raidz2:7x6TB", "--live", "--from", GOOD, "--pool", "tank")
    assert "      zpool attach tank raidz2-0 /dev/disk/by-id/scsi-35000c50000000007\n" in wider  # not the spare
    assert "zpool replace" not in wider


def test_that_a_design_the_pool_cannot_become_has_no_commands(tmp_path: Path) -> None:
    """A mirror beside a raidz2 for good, and a spare that is gone: one failure is borne then instead of two."""
    script = tmp_path / "change.sh"
    words = ("compare", "--layout", "mirror:2x8TB", "--live", "--from", GOOD, "--pool", "tank")
    text = printed(*words, "--commands", str(script), status=1)
    assert text.startswith("tank cannot become this design: raidz2-0 (raidz2 of 6) stays in the pool")
    assert f"Next: poolwright migrate --layout mirror:2x8TB --from {GOOD} --pool tank\n" in text
    assert not any(word in text for word in ("zpool add -", "zpool remove tank", "zpool set", "zfs "))
    assert not script.exists()
    document = answer_of(*words, status=1)
    assert (document["reachable"], document["commands"]) == (False, [])
    assert run(["migrate", "--layout", "mirror:2x8TB", "--from", GOOD, "--pool", "tank"]) == 0


def test_that_a_layout_differs_in_its_vdevs_alone() -> None:
    """What the program would propose beside it, such as a recordsize or no ACLs, nobody asked for."""
    words = ("--layout", "raidz2:6x6TB", "spare/stripe:1x6TB", "--live", "--from", GOOD, "--pool", "tank")
    assert printed("compare", *words).startswith("The pool tank is as the design says")


def test_that_a_design_of_another_machine_s_disks_is_refused(tmp_path: Path) -> None:
    design = tmp_path / "thesis.json"
    printed("recommend", "--example", "thesis", "--capacity", "80TB", "--save-design", str(design))
    assert "0 of 44 are here" in refused("compare", str(design), "--live", "--from", GOOD, "--pool", "tank", status=1)


def test_that_a_layout_with_too_few_disks_is_told_as_it_was_written() -> None:
    told = refused("compare", "--layout", "raidz3:9x6TB", "--live", "--from", GOOD, "--pool", "tank", status=1)
    assert "raidz3 of 9 needs 9 disks of 6 TB; 8 are without a place" in told
