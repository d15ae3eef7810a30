"""One design has one risk: ranking, saved design, risk command, growth, comparison and report say the same numbers."""

import json
import re
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed

from poolwright.predict.number_words import odds_text
from poolwright.rules import presets
from poolwright.table_library import load_drive_book

ALONE, WITH_ALL = "yearly_loss_probability", "yearly_loss_with_other_causes_probability"
# Machines whose layouts have spares, several models, flash, wide vdevs.
MACHINES = (
    ("--example", "thesis"), ("--disks", "8 x 10TB hdd"), ("--disks", "24 x 18TB hdd"), ("--disks", "6 x 3.84TB ssd"),
    ("--disks", "2 x 4TB hdd"), ("--disks", "4 x 4TB hdd", "4 x 8TB hdd"),
    ("--disks", "8 x 8TB hdd model=ST8000DM002", "5 x 8TB hdd model=ST8000NM000A"),
    ("--disks", "4 x 8TB hdd model=ST8000DM002 shelf=1", "5 x 8TB hdd model=ST8000NM000A shelf=2", "--survive", "1"),
)  # fmt: skip
PRESETS = tuple(known.key for known in presets.PRESETS)


@pytest.mark.parametrize(
    "machine",
    [pytest.param(each, id=each[1], marks=pytest.mark.slow if n % 4 else ()) for n, each in enumerate(MACHINES)],
)
@pytest.mark.parametrize("goal", ["safety", pytest.param("concurrent", marks=pytest.mark.slow)])
def test_that_every_place_says_the_same_two_numbers_of_a_design(
    machine: tuple[str, ...], goal: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "one.json")
    ranked = answer_of("recommend", *machine, "--goal", goal, "--pool", "tank", "--save-design", file)["candidates"][0]
    alone, whole = ranked["risk"][ALONE]["typical"], ranked["risk"][WITH_ALL]["typical"]
    assert whole >= max(alone, load_drive_book().causes.floor(1)) * (1 - 1e-5)
    same_alone, same_whole = pytest.approx(alone, rel=2e-5), pytest.approx(whole, rel=2e-5)
    assert ranked["yearly_loss_any_pool"] == same_alone
    assert ranked["yearly_loss_any_pool_with_other_causes"] == same_whole
    first = answer_of("growth", file, "--used", "1TB", "--growth", "20")["stages"][0]["predictions"]
    assert (first[ALONE], first[WITH_ALL]) == (same_alone, same_whole)
    rows = {row["name"]: row for row in answer_of("compare", file, _renamed(file))["rows"]}
    assert [value["value"] for value in rows["loss"]["values"]] == [same_whole, same_whole]
    assert [value["value"] for value in rows["disk_loss"]["values"]] == [same_alone, same_alone]
    assert rows["loss"]["values"][0]["low"] == pytest.approx(ranked["risk"][WITH_ALL]["low"], rel=2e-5)
    report = printed("report", file)
    assert odds_text(whole) in report
    assert odds_text(alone) in report


@pytest.mark.parametrize(
    "preset", [PRESETS[0], *(pytest.param(preset, marks=pytest.mark.slow) for preset in PRESETS[1:])]
)
@pytest.mark.parametrize("machine", ["12 x 16TB hdd", pytest.param("8 x 3.84TB ssd", marks=pytest.mark.slow)])
def test_that_ranking_and_saved_design_reckon_with_the_same_records(preset: str, machine: str, tmp_path: Path) -> None:
    file = str(tmp_path / "one.json")
    words = ("--disks", machine, "--preset", preset, "--goal", "safety", "--save-design", file)
    ranked = answer_of("recommend", *words)["candidates"][0]
    saved = answer_of("growth", file, "--used", "1TB", "--growth", "20")["stages"][0]["predictions"]
    assert saved[ALONE] == pytest.approx(ranked["risk"][ALONE]["typical"], rel=2e-5)
    assert saved[WITH_ALL] == pytest.approx(ranked["risk"][WITH_ALL]["typical"], rel=2e-5)
    for name in ("seq_read", "seq_write", "rand_read_iops", "rebuild_hours"):
        for part in ("low", "typical", "high"):
            assert saved[name][part] == pytest.approx(ranked["predictions"][name][part], rel=2e-5), (name, part)


def _renamed(file: str) -> str:
    other = Path(file).with_name("other.json")
    text = json.loads(Path(file).read_text(encoding="utf-8"))
    other.write_text(json.dumps(text), encoding="utf-8")
    return str(other)


@pytest.mark.slow
def test_that_the_risk_command_agrees_with_a_layout_that_is_recommended() -> None:
    ranked = answer_of("recommend", "--disks", "8 x 10TB hdd", "--goal", "safety")["candidates"][0]
    specs = [word for spec in ranked["layout"] for word in ("--vdev", spec)]
    answer = answer_of("risk", *specs)
    assert answer_of("predict", *specs)["risk"][WITH_ALL] == answer[WITH_ALL]
    for key in (ALONE, WITH_ALL):
        assert answer[key]["typical"] == pytest.approx(ranked["risk"][key]["typical"], rel=1e-5)
    assert answer["floor"]["typical"] == pytest.approx(load_drive_book().causes.floor(1), rel=1e-5)
    assert {cause["name"] for cause in answer["other_causes"]} >= {"wrong_disk", "burst_share", "operator"}
    assert all(cause["source"] and cause["basis"] for cause in answer["other_causes"])


def test_that_a_rare_number_never_stands_alone() -> None:
    for args in (
        ("risk", "--vdev", "raidz3:11x10TB"),
        ("recommend", "--disks", "12 x 10TB hdd", "--goal", "safety"),
        ("recommend", "--disks", "12 x 10TB hdd", "--goal", "safety", "--layout", "raidz3:12x10TB"),
    ):
        out = printed(*args)
        assert re.search("pool lo(ss|st)", out.lower())
        assert "a backup does" in out
        rare = [line for line in out.splitlines() if "million" in line or "billion" in line]
        assert rare
        assert all("alone" in line for line in rare)


def test_that_a_wish_is_held_against_the_number_with_all_causes() -> None:
    found = answer_of("recommend", "--disks", "12 x 10TB hdd", "--goal", "concurrent", "--risk", "0.01")
    assert all(c["risk"][WITH_ALL]["typical"] <= 1e-4 * (1 + 1e-5) for c in found["candidates"])


@pytest.mark.slow
def test_that_pools_on_the_same_disks_have_the_risk_that_the_ranking_says(tmp_path: Path) -> None:
    ask = ("recommend", "--disks", "3 x 4TB hdd", "2 x 12TB hdd", "--goal", "safety", "--pool", "tank")
    places = answer_of(*ask, "--top", "200")["candidates"]
    place = next(n for n, found in enumerate(places, start=1) if found["way"] == "layered" and len(found["pools"]) > 1)
    file = str(tmp_path / "shared.json")
    ranked = answer_of(*ask, "--take", str(place), "--save-design", file, "--top", str(place))["candidates"][place - 1]
    rows = {row["name"]: row for row in answer_of("compare", file, _renamed(file))["rows"]}
    for row, key in (("loss", "yearly_loss_any_pool_with_other_causes"), ("disk_loss", "yearly_loss_any_pool")):
        assert rows[row]["values"][0]["value"] == pytest.approx(ranked[key], rel=2e-5)
