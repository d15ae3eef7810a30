"""A design that was saved from a ranking keeps where it stood, and a report tells it until it is edited."""

import json
import re
from pathlib import Path

import pytest
from tests.command_line import answer_of

from poolwright.cli.main import run

ASKED = ("recommend", "--disks", "8 x 4TB hdd", "--goal", "safety")


def saved(tmp_path: Path, *options: str) -> Path:
    path = tmp_path / "design.json"
    run([*ASKED, *options, "--save-design", str(path)])
    return path


def why(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert run(["report", str(path)]) == 0
    return capsys.readouterr().out.partition("## Why this design")[2].partition("\n## ")[0]


def test_that_a_saved_first_choice_is_reported_with_rank_score_and_what_was_not_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    asked = answer_of(*ASKED)
    told = why(path, capsys)
    first = asked["candidates"][0]
    assert f"Number 1 of {asked['examined']:,} layouts examined for safety, with {first['score']:.1f} points." in told
    assert re.search(rf"\*\*Score\*\* \| \*\*{first['score']:.1f}\*\*", told)
    assert "survives fewer than 2 failures" in told
    assert "not taken from a ranking" not in told


def test_that_another_layout_than_the_first_names_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = why(saved(tmp_path, "--take", "2"), capsys)
    assert "Number 2 of" in told
    assert "the first choice, with" in told


@pytest.mark.parametrize("edit", ["member", "parity", "goal", "size"])
def test_that_an_edited_layout_no_longer_claims_its_rank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: str
) -> None:
    path = saved(tmp_path)
    document = json.loads(path.read_text())
    design = document["design"]
    if edit == "member":
        design["vdevs"][0]["members"].pop()
    elif edit == "parity":
        design["vdevs"][0]["parity"] = 1
    elif edit == "goal":
        design["workload"]["goal"] = "space"
    else:
        design["disks"][0]["size_bytes"] //= 2
    path.write_text(json.dumps(document))
    told = why(path, capsys)
    assert "It was edited after that" in told
    assert "**Score**" not in told


def test_that_a_design_bound_to_real_disks_keeps_its_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, bound = tmp_path / "typed.json", tmp_path / "bound.json"
    run(["recommend", "--disks", "44 x 6TB hdd", "--save-design", str(path)])
    assert run(["bind", str(path), "--example", "thesis", "-o", str(bound)]) == 0
    assert "Number 1 of" in why(bound, capsys)


def test_that_a_design_saved_before_rankings_were_kept_still_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    document = json.loads(path.read_text())
    document["schema"] = 3
    del document["design"]["ranking"]
    path.write_text(json.dumps(document))
    assert "The layout was not taken from a ranking" in why(path, capsys)
