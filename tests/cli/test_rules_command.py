"""`poolwright rules`: list, check and explain, as text and as JSON."""

import json
from pathlib import Path

import pytest
from tests.cases import table
from tests.command_line import answer_of, printed, refused, written

from poolwright.cli.main import run

GOOD: str = table(__file__, "good")


@pytest.fixture(autouse=True)
def _own_config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_that_the_shipped_rules_pass_their_check() -> None:
    assert "examples come out as they say" in printed("rules", "--check")


def test_that_a_file_with_errors_ends_the_check_with_status_2_and_every_error(tmp_path: Path) -> None:
    bad = written(tmp_path / "bad.toml", GOOD.replace(">= 2", "** 2 > 3").replace('"note"', '"loud"'))
    told = refused("rules", "--check", str(bad))
    assert f"{bad}:6: " in told
    assert f"{bad}:8: " in told


def test_that_rules_that_are_no_utf_8_are_told_by_file_and_line(tmp_path: Path) -> None:
    own = tmp_path / "config" / "poolwright" / "rules" / "mine.toml"
    own.parent.mkdir(parents=True)
    own.write_bytes(GOOD.encode().replace(b"House", b"H\xe4us"))
    assert f"({own}:10). Write rules as TOML in UTF-8." in refused("rules", "--check", str(own))
    assert f"({own}:10). Write rules as TOML in UTF-8." in refused("rules")


@pytest.mark.slow
def test_that_errors_as_json_carry_file_and_line(tmp_path: Path) -> None:
    bad = written(tmp_path / "bad.toml", "schema = 1\n[[rule]\n")
    document = answer_of("rules", "--check", str(bad), status=2)
    assert document["ok"] is False
    assert [(error["file"], error["line"]) for error in document["errors"]] == [(str(bad), 2)]


def test_that_a_file_of_ones_own_is_checked_with_the_shipped_ones(tmp_path: Path) -> None:
    good = written(tmp_path / "good.toml", GOOD)
    assert "1 of them your own" in printed("rules", "--check", str(good))


@pytest.mark.slow
def test_that_rules_in_the_configuration_folder_are_listed_as_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "config" / "poolwright" / "rules"
    folder.mkdir(parents=True)
    (folder / "site.toml").write_text(GOOD)
    assert run(["rules", "--json"]) == 0
    listed = {rule["id"]: rule for rule in json.loads(capsys.readouterr().out)["rules"]}
    assert listed["site.four-spares"]["users_own"] is True
    assert listed["width.too-many-vdevs"]["users_own"] is False
    assert "This rule is your own." in printed("rules", "--explain", "site.four-spares")


def test_that_the_list_shows_rules_and_properties() -> None:
    told = printed("rules")
    assert "redundancy.bare-disk-beside" in told
    assert "pool.ashift" in told


def test_that_a_rule_is_explained() -> None:
    document = answer_of("rules", "--explain", "property.ashift")
    assert document["target"] == "pool.ashift"
    assert document["sources"]
    assert "98 MiB/s" in document["explanation"]
