"""`poolwright recommend` as a person and a program use it, with the shipped rules."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from poolwright.cli.main import run


def poolwright(*args: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process: a second one would load the rules anew each time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = run(list(args))
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
    return subprocess.CompletedProcess(args, status, out.getvalue(), err.getvalue())


def test_that_it_runs_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "poolwright", "recommend", "--disks", "4 x 6TB", "--goal", "safety", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout)["candidates"][0]["family"] == "raidz2"


def recommended(*args: str) -> dict[str, Any]:
    done = poolwright("recommend", *args, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def words(layout: list[str]) -> list[str]:
    return [spec.rpartition(":")[0] + ":" + spec.rpartition(":")[2].partition("x")[0] for spec in layout]


def test_that_the_thesis_machine_and_safety_give_raidz2_of_eight_with_spares() -> None:
    best = recommended("--example", "thesis", "--goal", "safety")["candidates"][0]
    assert words(best["layout"]) == ["raidz2:8"] * 5 + ["spare/stripe:4"]
    assert best["failures_survived"] == 2
    assert best["capacity"]["available_bytes"] == 170489532121088  # seen in the virtual machine


def test_that_the_thesis_machine_and_concurrent_give_twenty_mirrors() -> None:
    best = recommended("--example", "thesis", "--goal", "concurrent")["candidates"][0]
    assert words(best["layout"]) == ["mirror:2"] * 20 + ["spare/stripe:4"]


def test_that_the_thesis_machine_and_speed_give_pools_of_at_most_20_disks_without_parity() -> None:
    best = recommended("--example", "thesis", "--goal", "speed")["candidates"][0]
    assert best["family"] == "stripe"
    assert best["pools"] >= 2
    assert sum(int(word.rpartition(":")[2]) for word in words(best["layout"])) <= 20


def test_that_the_answer_has_the_promised_keys() -> None:
    answer = recommended("--disks", "12 x 16TB", "--goal", "safety", "--top", "3")
    assert len(answer["candidates"]) == 3
    for candidate in answer["candidates"]:
        assert {"layout", "score_terms", "capacity", "predictions", "risk", "findings"} <= set(candidate)
        assert sum(term["points"] for term in candidate["score_terms"]) == pytest.approx(candidate["score"], abs=0.01)
    scores = [candidate["score"] for candidate in answer["candidates"]]
    assert scores == sorted(scores, reverse=True)
    assert {"stripe", "raidz1", "mirror of 2"} <= {rejected["family"] for rejected in answer["rejected"]}
    assert all(rejected["reason"] for rejected in answer["rejected"])


def test_that_wishes_on_the_command_line_are_kept() -> None:
    args = ("--disks", "12 x 16TB", "--goal", "safety", "--survive", "3", "--spares", "1", "--bays", "11")
    for candidate in recommended(*args, "--top", "50")["candidates"]:
        assert candidate["failures_survived"] >= 3
        assert candidate["spares"] == 1
        assert candidate["unassigned"] >= 1


def test_that_every_layout_can_be_had() -> None:
    answer = recommended("--disks", "12 x 16TB", "--goal", "concurrent", "--top", "100000")
    assert len(answer["candidates"]) == answer["feasible"]
    layouts = {tuple(words(candidate["layout"])) for candidate in answer["candidates"]}
    assert {("mirror:3",) * 4, ("raidz2:6",) * 2, ("raidz3:12",), ("mirror:2",) * 6} <= layouts


@pytest.mark.parametrize(
    ("args", "status", "word"),
    [
        (("--disks", "4 x 6TB", "--goal", "safety", "--capacity", "100TB"), 1, "90.9 TiB wanted"),
        (("--disks", "1 x 6TB", "--goal", "safety"), 1, "first disk to fail"),
        (("--disks", "4 x 6TB", "--goal", "safety", "--money", "100"), 2, "price"),
        (("--disks", "4 x 6TB", "--goal", "safety", "--survive", "-1"), 2, "negative"),
        (("--disks", "four disks", "--goal", "safety"), 2, "four disks"),
        (("--disks", "4 x 6TB", "--goal", "safety", "--top", "0"), 2, "--top"),
        (("--example", "nothing", "--goal", "safety"), 2, "nothing"),
        (("--from", "/nonexistent", "--goal", "safety"), 2, "/nonexistent"),
        (("--disks", "4 x 6TB", "--goal", "safety", "--pool", "mirror", "--save-design", "/dev/null"), 2, "mirror"),
    ],
)
def test_that_what_cannot_be_done_is_told_with_its_status(args: tuple[str, ...], status: int, word: str) -> None:
    done = poolwright("recommend", *args, "--json")
    assert done.returncode == status, done.stderr
    assert word in done.stderr
    answer = json.loads(done.stdout)
    assert word in answer["error"] + " ".join(answer.get("reasons", ()))


def test_that_the_first_choice_is_saved_as_a_design_that_script_takes(tmp_path: Path) -> None:
    design, script = tmp_path / "design.json", tmp_path / "create.sh"
    made = poolwright("recommend", "--example", "paper", "--goal", "safety", "--save-design", str(design))
    assert made.returncode == 0, made.stderr
    assert "First choice" in made.stdout
    written = poolwright("script", str(design), "-o", str(script))
    assert written.returncode == 0, written.stderr
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
