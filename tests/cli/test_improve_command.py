"""`poolwright improve`: the ranked changes with their costs and commands, and what is refused."""

from pathlib import Path

import pytest
from tests.changes.existing_machines import FOLDER
from tests.command_line import answer_of, printed

from poolwright.store.design_file import from_json

WRONG = str(FOLDER / "wrong.capture")
TANK = ("improve", "--from", WRONG, "--pool", "tank", "--money", "2000 USD")


def test_that_what_is_wrong_stands_before_what_would_be_nice() -> None:
    text = printed(*TANK)
    assert text.startswith("tank: 0 % full, 2,000.00 USD to spend\n")
    places = [text.index(title) for title in ("mended without buying", "First of all", "Brings little", "Better not")]
    assert places == sorted(places)
    assert "      zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000\n" in text
    assert (
        "      zpool attach tank /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0001-part1 '/dev/disk/by-id/<new disk 1>'\n"
        in text
    )


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
