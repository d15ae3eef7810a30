"""`poolwright audit` on pools that were made good and wrong in a virtual machine."""

import json
from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.existing_machines import FOLDER, SICK
from tests.command_line import answer_of, poolwright, printed, refused, written
from tests.design.half_known import DISKS, LISTED, LISTED_VDEVS, STATUS

from poolwright.cli.main import run
from poolwright.rule_library import load_rules
from poolwright.rules.rulebook import Scope

GOOD, WRONG = str(FOLDER / "good.capture"), str(FOLDER / "wrong.capture")


def test_that_findings_stand_by_severity_and_commands_once() -> None:
    text = printed("audit", "--from", WRONG, "--pool", "tank", "--all", status=1)
    assert text.startswith("tank is DEGRADED, 1 critical finding, ")
    assert text.index("\nCritical\n") < text.index("\nWarnings\n") < text.index("\nNotes\n")
    assert text.count("zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000\n") == 1
    assert "Where did the space go?" in text


def test_that_the_worst_pool_comes_first_with_what_to_do_now() -> None:
    text = printed("audit", "--from", WRONG, status=1)
    lines = text.splitlines()
    assert lines[0].startswith("5 pools: tank is DEGRADED, 1 critical finding; ")
    assert [line.split()[0] for line in lines[2:8]] == ["pool", "tank", "mixed", "full", "rem", "old"]
    first = lines.index("Now, in this order") + 1
    assert lines[first].startswith("  1  tank   tank is DEGRADED; 1 device is not online")
    assert "zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000" in text
    assert len(lines) < 30
    document = answer_of("audit", "--from", WRONG, status=1)
    assert [pool["name"] for pool in document["pools"]] == ["tank", "mixed", "full", "rem", "old"]
    assert document["now"][0]["rule"] == "existing.not-online"
    whole = printed("audit", "--from", WRONG, "--all", status=1)
    assert whole.index("\ntank: DEGRADED") < whole.index("\nold: ONLINE")


def test_that_the_document_has_facts_findings_and_sizes() -> None:
    document = answer_of("audit", "--from", GOOD)
    assert [pool["name"] for pool in document["pools"]] == ["fast", "tank"]
    assert document["answer"] == {
        "text": "2 pools: fast is ONLINE, nothing is urgent; the other needs nothing now.",
        "worst": "fast", "critical": 0, "warnings": 0,
    }  # fmt: skip
    tank = document["pools"][1]
    assert {finding["severity"] for finding in tank["findings"]} == {"note"}
    assert [cascade["rest_bytes"] for cascade in tank["sizes"]["cascades"]][:2] == [0, 0]
    assert tank["read"]["scans"][0]["kind"] == "scrub"
    assert tank["read"]["properties"]["size"] == "35991825940480"


def test_that_a_sick_pool_never_reads_as_online_with_some_devices(tmp_path: Path) -> None:
    path = written(tmp_path / "status.txt", SICK)
    line = next(line for line in printed("inventory", "--from", str(path)).splitlines() if "pool tank" in line)
    assert line == (
        "pool tank, ONLINE, 1 device not online, 1 device with errors, a special device without redundancy: 3 devices"
    )
    assert len(answer_of("inventory", "--from", str(path))["pools"][0]["troubles"]) == 3
    text = printed("audit", "--from", str(path), status=1)
    assert "ata-WDC_WD6002FFWX-68TZ4N0_NCGW0001" in text.partition("Warnings")[2].partition("Notes")[0]
    assert "[redundancy.special-bare]" in text


def test_that_without_a_pool_it_says_what_to_read() -> None:
    assert "has no imported pool" in printed("audit", "--example", "thesis")
    assert "fast and tank" in refused("audit", "--from", GOOD, "--pool", "none")


def test_that_a_report_has_pictures() -> None:
    assert "<svg" in printed("audit", "--from", GOOD, "--format", "html")


def test_that_captures_named_by_two_options_are_read_together(tmp_path: Path) -> None:
    names = []
    for number, text in enumerate((STATUS, LISTED_VDEVS)):
        names.append(tmp_path / f"{number}.txt")
        names[-1].write_text(text, encoding="utf-8")
    text = printed("audit", "--from", str(names[0]), "--from", str(names[1]))
    assert "SIZE 5.45 TiB" in text
    assert "was not read" not in text


def test_that_a_lone_list_is_judged_and_told_to_be_one(tmp_path: Path) -> None:
    file = written(tmp_path / "list.txt", LISTED)
    text = printed("audit", "--from", str(file))
    assert "tank is 86 % full" in text
    assert "`zpool status` was not read of tank" in text
    file.write_text(DISKS, encoding="utf-8")
    assert "cannot be told: `zpool status` was not read" in printed("audit", "--from", str(file), status=3)
    document = answer_of("audit", "--from", str(file), status=3)
    assert (document["pools_looked_for"], document["pools"]) == (False, [])


def test_that_a_page_shows_what_turns_the_direction_of_writing(tmp_path: Path) -> None:
    path = written(tmp_path / "status.txt", SICK.replace("tank", "ta\u202enk"))
    for form in ("html", "md"):
        text = printed("audit", "--from", str(path), "--format", form, status=1)
        assert "\u202e" not in text
        assert "u202e" in text


LOG_GONE: str = table(__file__, "log_gone")


def test_that_counted_data_errors_are_critical_and_come_first_and_metadata_is_no_file_to_restore(
    tmp_path: Path,
) -> None:
    text = LOG_GONE.format(state="ONLINE", status="Data corruption.").replace("FAULTED", "ONLINE ")
    unread = "List of errors unavailable: permission denied\n\nerrors: 1 data errors, use '-v' for a list"
    path = written(tmp_path / "status.txt", text.replace("No known data errors", unread))
    said = printed("audit", "--from", str(path), status=1)
    assert said.startswith("tank is ONLINE, 1 critical finding")
    assert "  1  tank has damaged files.\n     zpool status -v tank" in said
    assert "tank: `zpool status -v` tells" not in printed("audit", "--from", str(path), "--all", status=1)
    named = "Permanent errors have been detected in the following files:\n\n        <metadata>:<0x3d>"
    path = written(tmp_path / "named.txt", text.replace("No known data errors", named))
    said = " ".join(printed("audit", "--from", str(path), status=1).split())
    assert "where `<metadata>` is named, copy everything off, and recreate the pool" in said


def test_that_what_is_missing_is_connected_before_an_unusable_pool_is_cleared(tmp_path: Path) -> None:
    """`zpool clear` drops what only the log holds: it is no command to paste. `zpool status` shows no such pool."""
    text = LOG_GONE.format(state="FAULTED", status="An intent log record could not be read.")
    said = " ".join(printed("audit", "--from", str(written(tmp_path / "log.txt", text)), status=1).split())
    assert "Connect the log device and bring it online. `zpool clear` only if it is lost for good" in said
    assert "gives up the synchronous writes acknowledged in the last seconds. zpool online tank nvme0n1" in said
    text = LOG_GONE.format(state="UNAVAIL", status="One or more devices could not be opened.")
    said = printed("audit", "--from", str(written(tmp_path / "gone.txt", text)), status=1)
    assert said.index("First connect what is missing.") < said.index("  zpool export tank\n")
    assert "  zpool clear" not in said


CASES = Path(__file__).parents[3] / "shared" / "cases"


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not here")
@pytest.mark.parametrize(
    ("names", "said", "never"),
    [
        (("06_suspended_mmp.txt",), "`zpool clear` does not bring it back", "zpool clear p"),
        (
            ("A6_status_small_spares.txt", "A6_lsblk.json"),
            "replace -o ashift=9 testpool virtio-DISK0 virtio-DISK2",
            "DISK0 virtio-DISKSMALL",
        ),
        (("42_spare_in_two_places.txt",), "slot_15 has more than one place in the pool", "nothing is urgent"),
        (("02b_no_c_columns.txt",), "3 devices are DEGRADED, which still serve", "zpool replace tank30"),
        (("03_wiki_flat_indent.txt",), "Wait for the end of the resilver", "zpool online"),
        (("44_zpool_list_vp_expandsize.txt",), "poolname is ONLINE", "16384 PiB"),
        (("88_sort_of_removed_replacing_mirror.txt",), "/Übersicht/a b.txt", "zpool clear"),
    ],
)
def test_that_a_pool_of_a_public_report_is_told_as_it_is(
    names: tuple[str, ...], said: str, never: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for name in names for word in ("--from", str(CASES / name))]
    run(["audit", *words, "--all"])
    text = capsys.readouterr().out
    assert said in " ".join(text.split()) if " " in said else said in text
    assert never not in text.partition("Where did the space go?")[0].replace("SMALL2    AVAIL", "")


# Every rule on pools that exist is reached by what the tools print, read as a person reads it: `poolwright audit`.


MACHINE = FOLDER / "good.capture"
WHOLE = MACHINE.read_text(encoding="utf-8")
# What the tools would print of a pool with one thing wrong, as a diff of the machine `good`: the rule, the pool that is
# meant and the rules that such a pool breaks as well; then the lines that change. They are in the words and columns of
# `zpool status -P`, `zpool list -v -Hp -P`, `zpool get -Hp`, `zfs get -Hp`; texts of status and scans are those that
# OpenZFS 2.3 and recorded pools print.
CHANGES = Path(__file__).with_name("printed_changes.diff").read_text(encoding="utf-8").split("\n\n")
PRINTED = {change.split()[0]: change for change in CHANGES}
RECORDED = {"existing.expanded", "existing.stranded"}  # what only a pool shows that went through it
UNREAD = {"existing.degraded"}  # of pools without zpool status: tests/changes/test_half_known_pools.py


def findings(file: Path, pool: str) -> dict[str, str]:
    document = json.loads(poolwright("audit", "--from", str(file), "--pool", pool, "--json").stdout)
    return {found["rule"]: found["text"] for found in document["pools"][0]["findings"]}


def changed(diff: str) -> str:
    """Return the capture of the machine `good` with these lines changed; each must be there."""
    text = WHOLE
    for hunk in diff.split("@@\n"):
        was, becomes = (
            "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in f" {sign}") for sign in "-+"
        )
        assert was in text
        text = text.replace(was, becomes, 1)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("rule_id", sorted(PRINTED))
def test_that_what_the_tools_print_reaches_this_rule_and_no_other(rule_id: str, tmp_path: Path) -> None:
    head, _, lines = PRINTED[rule_id].partition("\n")
    _, pool, *beside = head.split()
    file = tmp_path / "printed.capture"
    file.write_text(changed(f"{lines}\n"), encoding="utf-8")
    usual = findings(MACHINE, pool)
    found = findings(file, pool)
    assert found.keys() - usual.keys() == {rule_id, *beside}
    assert pool in found[rule_id]


@pytest.mark.parametrize("pool", ["fast", "tank"])
def test_that_the_good_machine_breaks_no_rule_on_pools_that_exist(pool: str) -> None:
    assert not [rule for rule in findings(MACHINE, pool) if rule.startswith("existing.")]


def test_that_an_expanded_pool_is_recorded() -> None:
    pools = answer_of("audit", "--from", str(FOLDER / "expanded.capture"))["pools"]
    assert {found["rule"] for pool in pools for found in pool["findings"]} >= RECORDED


def test_that_no_rule_on_pools_that_exist_is_left_out() -> None:
    book = load_rules()
    assert {rule.id for rule in book.rules if rule.scope is Scope.EXISTING} == PRINTED.keys() | RECORDED | UNREAD


def test_that_a_threshold_is_the_rule_book_s_and_not_the_program_s(tmp_path: Path) -> None:
    """A quota used by 89 %, vdevs that differ by 49 %, and 0.9 % that a pool could grow by: nothing is said."""
    file = tmp_path / "printed.capture"
    text = WHOLE.replace("tank/home\tused\t196416\t-", "tank/home\tused\t47781511168\t-", 1)
    file.write_text(text.replace("tank\texpandsize\t-\t-", "tank\texpandsize\t323926433464\t-", 1), encoding="utf-8")
    found = findings(file, "tank")
    assert "existing.quota-near" not in found
    assert "existing.not-expanded" not in found
    keys = load_rules().limits.keys()
    assert {f"existing.{name}" for name in
            ("most_quota_percent", "uneven_percent", "expandable_percent", "most_root_bytes")} <= keys  # fmt: skip
