"""`poolwright script`: from a design file to a script on standard output or in a file."""

import json
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written
from tests.emit.machines import macblog_design
from tests.emit.pretend import disk, small_design

from poolwright.capacity.pool import predict_design
from poolwright.cli.main import run
from poolwright.cli.script import FORMATS
from poolwright.domain.design import DESIGN_SCHEMA
from poolwright.emit.exports import EXPORTS
from poolwright.paths import rules_folder
from poolwright.rule_library import ADVICE, load_rules
from poolwright.store.design_file import to_json


@pytest.fixture
def design_file(tmp_path: Path) -> Path:
    return written(tmp_path / "office.json", to_json(small_design()))


def test_that_the_script_is_printed_with_its_prediction(design_file: Path) -> None:
    text = printed("script", str(design_file))
    predicted = predict_design(small_design())
    assert text.startswith("#!/usr/bin/env bash\n")
    assert f"  predicted {predicted.pool_size_bytes} {predicted.available_bytes} #" in text


def test_that_a_file_is_written_whole_and_can_be_run(design_file: Path, tmp_path: Path) -> None:
    target = written(tmp_path / "office.sh", "what was there before")
    assert "there already" in refused("script", str(design_file), "--format", "sh", "-w", str(target))
    assert target.read_text() == "what was there before"
    assert f"Saved: {target}\n" in printed("script", str(design_file), "--format", "sh", "--force", "-w", str(target))
    assert target.stat().st_mode & 0o777 == 0o755
    subprocess.run(["bash", "-n", target], check=True)
    assert {p.name for p in tmp_path.iterdir()} == {"office.json", "office.sh", "office.advice.txt"}


def test_that_a_design_is_read_from_standard_input(design_file: Path) -> None:
    assert "creates the pool tank." in printed("script", "-", stdin=design_file.read_text())


def test_that_json_holds_the_commands_and_the_script(design_file: Path) -> None:
    document = answer_of("script", str(design_file))
    assert document["pool"] == "tank"
    assert document["commands"][0]["argv"][:2] == ["zpool", "create"]
    assert document["script"].startswith("#!/usr/bin/env bash\n")
    assert document["pool_size_bytes"] == predict_design(small_design()).pool_size_bytes


def test_that_a_huge_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    assert "larger than" in refused("script", str(path))


def test_that_a_design_that_cannot_be_built_is_status_1_with_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = replace(small_design(), disks=tuple(disk(n, planned=True) for n in range(3)))
    path = written(tmp_path / "planned.json", to_json(planned))
    assert run(["script", str(path), "--json"]) == 1
    captured = capsys.readouterr()
    (reason,) = json.loads(captured.out)["reasons"]
    assert all(str(one.label) in reason for one in planned.disks)
    assert reason in captured.err


STARTS = {
    "sh": "#!/usr/bin/env bash\n# Guarded script",
    "plain": "#!/usr/bin/env bash\n# tank: mirror of 2",
    "undo": "#!/usr/bin/env bash\n# Undo of the guarded script",
    "rehearsal": "#!/usr/bin/env bash\n# Rehearsal of the design",
    "advice": "# For the host of tank",
    "burn-in": "#!/usr/bin/env bash\n# Burn-in of the disks of",
    "backup": "#!/usr/bin/env bash\n# tank: 24h 14d 6m",
    "sheet": "# Recovery sheet: tank",
    "sheet-html": "<!DOCTYPE html>",
    "ansible": "---\n# Playbook",
    "disko": "# disko devices",
    "truenas": '{\n  "kind": "poolwright-truenas"',
    "fio": "; fio jobs",
    "json": f'{{\n  "schema": {DESIGN_SCHEMA}',
}


@pytest.mark.parametrize("form", FORMATS)
def test_that_every_format_is_written(form: str, design_file: Path) -> None:
    assert printed("script", str(design_file), "--format", form).startswith(STARTS[form])
    document = answer_of("script", str(design_file), "--format", form)
    assert (document["format"], document["pool"]) == (form, "tank")
    assert document["script" if form == "sh" else "text"].startswith(STARTS[form])


def test_that_the_formats_offered_are_those_that_can_be_written() -> None:
    assert tuple(form.key for form in EXPORTS) == FORMATS


def test_that_only_programs_can_be_run(design_file: Path, tmp_path: Path) -> None:
    for form, mode in (("undo", 0o755), ("rehearsal", 0o755), ("ansible", 0o644), ("json", 0o644)):
        target = tmp_path / form
        assert run(["script", str(design_file), "--format", form, "-w", str(target)]) == 0
        assert target.stat().st_mode & 0o777 == mode


def test_that_what_a_format_cannot_say_is_status_1_with_the_reason(tmp_path: Path) -> None:
    path = written(tmp_path / "odd.json", to_json(macblog_design()))
    assert answer_of("script", str(path), "--format", "truenas", status=1)["reasons"] == [
        "TrueNAS partitions disks itself: a disk cannot be shared by vdevs"
    ]


def test_that_a_design_of_several_pools_tells_the_space_of_each(tmp_path: Path) -> None:
    path = written(tmp_path / "odd.json", to_json(macblog_design()))
    document = answer_of("script", str(path))
    # What zpool list and zfs list print of these two pools, made by this script in a virtual machine (OpenZFS 2.3.2).
    assert [(p["pool"], p["pool_size_bytes"], p["available_bytes"]) for p in document["pools"]] == [
        ("tank", 9998683865088, 5779750912000),
        ("rest", 996432412672, 965562335232),
    ]
    assert [c["argv"][0] for c in document["commands"]] == ["sgdisk"] * 5 + ["zpool", "zfs", "zpool", "zfs"]


def test_that_advice_for_the_host_stands_in_a_file_beside_the_script_and_in_the_document(
    design_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = answer_of("script", str(design_file))
    advice = {piece["rule"]: piece for piece in document["host_advice"]}
    assert advice["advice.scrub-timer"]["command"] == "systemctl enable --now zfs-scrub-monthly@tank.timer"
    assert "zfs-scrub-monthly" not in document["script"]
    assert run(["script", str(design_file), "-w", str(tmp_path / "create-tank.sh")]) == 0
    beside = (tmp_path / "create-tank.advice.txt").read_text()
    assert "create-tank.advice.txt (advice" in capsys.readouterr().out
    assert "#     $ systemctl enable --now zfs-scrub-monthly@tank.timer\n" in beside
    assert all(line.startswith("#") for line in beside.splitlines())
    assert printed("script", str(design_file), "--format", "advice") == beside


def test_that_the_fixed_part_is_printed_with_the_checksum_that_stands_in_the_script(design_file: Path) -> None:
    for form in ("sh", "undo", "rehearsal"):
        fixed = printed("script", "--fixed-part", "--format", form)
        script = printed("script", str(design_file), "--format", form)
        assert script.endswith(f"\n{fixed}")
        assert f"#   {sha256(fixed.encode()).hexdigest()}\n" in script
    assert run(["script", str(design_file), "--fixed-part"]) == 2
    assert run(["script"]) == 2


def test_that_a_broken_rule_of_the_users_own_is_told_and_the_script_written_all_the_same(
    design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own = tmp_path / "config" / "poolwright" / "rules"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text("[[rule]]\nid = 1\n")
    assert run(["script", str(design_file)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("#!/usr/bin/env bash\n")
    assert "zfs-scrub-monthly@tank.timer" in printed("script", str(design_file), "--format", "advice")
    assert "mine.toml" in said.err
    assert "without your own rules" in said.err


def test_that_rules_that_cannot_be_read_at_all_leave_a_script_without_advice(
    design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "advice.toml").write_text("this is no TOML")
    (tmp_path / "data").symlink_to(rules_folder() / "data")
    monkeypatch.setattr("poolwright.paths.rules_folder", lambda: tmp_path)
    assert run(["script", str(design_file)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("#!/usr/bin/env bash\n")
    assert "scrub" not in said.out
    assert "without advice for the host" in said.err


@pytest.mark.slow
def test_that_the_advice_alone_is_the_advice_of_all_rules() -> None:
    alone, among_all = load_rules(only=(ADVICE,), with_own=False), load_rules(with_own=False)
    assert alone.rules == ()
    assert [rule.id for rule in alone.advice] == [rule.id for rule in among_all.advice]
    assert alone.limits == among_all.limits


@pytest.mark.parametrize("command", ["script", "report"])
def test_that_o_is_a_property_in_every_command_and_w_a_file(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (command, "--layout", "mirror:2x6TB", "--example", "wikibook", "-o", "failmode=continue")
    out = printed(*words, "-o", "comment=hello")
    assert ("failmode=continue" in out, "comment=hello" in out, list(tmp_path.iterdir())) == (True, True, [])
    assert run([*words, "-w", "./comment=hello.txt"]) == 0
    assert [path.name for path in tmp_path.iterdir() if "advice" not in path.name] == ["comment=hello.txt"]


def test_that_o_is_refused_for_a_file_and_where_nothing_is_set(
    design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    for words, told in (
        (("script", str(design_file), "-o", "failmode=continue"), "goes with --layout"),
        (("script", str(design_file), "-o", "a.sh"), "or -w a.sh for a file"),
        (("audit", "--example", "thesis", "-oa.pdf"), "or -w a.pdf for a file"),
        (("bench", "--paper-volumes", "tank", "-o", "failmode=continue"), "this command sets none"),
    ):
        assert told in refused(*words)
    assert set(tmp_path.iterdir()) == before
