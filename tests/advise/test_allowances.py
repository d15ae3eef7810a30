"""What a recommendation has only where it is wished by name."""

import json
from typing import Any

import pytest

from poolwright.cli.main import run


def recommended(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert run(["recommend", "--goal", "safety", "--disks", "12 x 18TB SMR", *args, "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["candidates"]
    return found


def test_that_shingled_disks_are_mirrored_unless_parity_is_allowed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    plain = recommended(capsys)
    assert not any("raid" in spec for candidate in plain for spec in candidate["layout"])
    allowed = recommended(capsys, "--allow", "smr-parity")
    assert allowed[0]["layout"][0].startswith("raidz2")
    told = {finding["rule"] for finding in allowed[0]["findings"]}
    assert "disks.smr-parity-allowed" in told
    assert "disks.smr-in-raidz" not in told


def test_that_only_what_there_is_can_be_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recommend", "--goal", "safety", "--disks", "6 x 4TB", "--allow", "everything"]) == 2
    assert "smr-parity" in capsys.readouterr().err
