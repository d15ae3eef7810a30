"""How well a drive is: each fact that speaks against it, each bound, each word of the reason."""

import pytest

from poolwright.domain.disk import Health, NoteLevel
from poolwright.machine.smartctl.facts import Attribute, SmartFacts
from poolwright.machine.smartctl.read import judge, wear_percent


def attribute(number: int, name: str, raw: int | None = None, failed: str = "", value: int | None = None) -> Attribute:
    return Attribute(number=number, name=name, raw=raw, failed=failed, value=value)


def counter(number: int, name: str, raw: int) -> dict[str, object]:
    return {"attributes": (attribute(number, name, raw),)}


LEFT = attribute(231, "SSD_Life_Left", value=80)
FIVE = "reallocated sectors (SMART attribute 5)"
WAITING = "sectors waiting for reallocation (SMART attribute 197)"
CRITICAL = "NVMe critical warning"
FAILING = "SMART says that this drive is failing"
PAST = "a SMART attribute was at or below its threshold in the past"
CEASING = "SMART attribute 1 X is at or below its threshold"
PREFAIL = "a pre-failure SMART attribute is at or below its threshold"


@pytest.mark.parametrize(
    ("facts", "health", "words"),
    [
        ({"passed": True}, Health.GOOD, []),
        ({}, None, []),
        ({"passed": False}, Health.FAILING, [FAILING]),
        ({"exit_status": 8}, Health.FAILING, [FAILING]),
        ({"passed": True, "exit_status": 8}, Health.GOOD, []),
        ({"critical_warning": 1}, Health.FAILING, ["NVMe critical warning: spare capacity is below its threshold"]),
        ({"critical_warning": 12}, Health.FAILING, [f"{CRITICAL}: reliability is degraded, media are read-only"]),
        ({"critical_warning": 64}, Health.FAILING, ["NVMe critical warning: 0x40"]),
        ({"passed": True, "critical_warning": 0}, Health.GOOD, []),
        (counter(5, "Reallocated_Sector_Ct", 3), Health.SUSPECT, [f"3 {FIVE}"]),
        (counter(197, "Current_Pending_Sector", 1), Health.SUSPECT, [f"1 {WAITING}"]),
        (counter(198, "Offline_Uncorrectable", 1), Health.SUSPECT, ["1 uncorrectable sectors (SMART attribute 198)"]),
        (counter(5, "Reallocated_Sector_Ct", (1 << 31) - 1), Health.SUSPECT, [f"{(1 << 31) - 1} {FIVE}"]),
        ({"attributes": (attribute(5, "Reallocated_Sector_Ct", 1 << 31),)}, None, []),
        ({"attributes": (attribute(5, "Reallocated_Sector_Ct", 0),)}, None, []),
        ({"attributes": (attribute(5, "Something_Else", 3),)}, None, []),
        ({"attributes": (attribute(6, "Reallocated_Sector_Ct", 3),)}, None, []),
        ({"attributes": (attribute(1, "X", failed="NOW"),)}, Health.SUSPECT, [CEASING]),
        ({"attributes": (attribute(1, "X", failed="past"),)}, None, [PAST]),
        ({"exit_status": 32}, None, [PAST]),
        ({"exit_status": 16}, Health.SUSPECT, [PREFAIL]),
        ({"exit_status": 16} | {"attributes": (attribute(1, "X", failed="FAILING_NOW"),)}, Health.SUSPECT, [CEASING]),
        ({"exit_status": 64}, None, ["its error log contains errors"]),
        ({"exit_status": 4}, None, ["a SMART command failed: some facts may be missing"]),
        ({"exit_status": 128}, Health.SUSPECT, ["its log of self-tests contains failures"]),
        ({"exit_status": 3}, None, []),
        ({"media_errors": 1}, Health.SUSPECT, ["1 media errors"]),
        ({"grown_defects": 2}, Health.SUSPECT, ["2 grown defects"]),
        ({"uncorrected_errors": 3}, Health.SUSPECT, ["3 uncorrected errors"]),
        ({"media_errors": 0, "grown_defects": 0, "uncorrected_errors": 0}, None, []),
        ({"percentage_used": 100}, Health.SUSPECT, ["100 % of the rated endurance is used"]),
        ({"percentage_used": 99}, None, []),
        ({"available_spare": 9, "spare_threshold": 10}, Health.SUSPECT, ["only 9 % spare blocks are left"]),
        ({"available_spare": 10, "spare_threshold": 10}, None, []),
        ({"available_spare": 0, "spare_threshold": 0}, None, []),
        ({"temperature": 61, "temperature_limit": 60}, Health.SUSPECT, ["it is 61 °C warm, above its limit of 60 °C"]),
        ({"temperature": 60, "temperature_limit": 60}, None, []),
        ({"temperature": 41, "temperature_limit": 40}, Health.SUSPECT, ["it is 41 °C warm, above its limit of 40 °C"]),
        ({"temperature": 41, "temperature_limit": 39}, None, []),
        ({"smart_enabled": False}, None, ["SMART is switched off in this drive: its verdict may be old"]),
        ({"smart_enabled": True}, None, []),
        ({"remarks": ("odd",)}, None, ["odd"]),
        ({"passed": False, "media_errors": 1}, Health.FAILING, [FAILING, "1 media errors"]),
    ],
)  # fmt: skip
def test_that_a_drive_is_judged_by_each_fact_that_speaks_against_it(
    facts: dict[str, object], health: Health | None, words: list[str]
) -> None:
    found, notes = judge(SmartFacts(**facts))  # type: ignore[arg-type]
    assert (found, [note.text for note in notes]) == (health, words)


def test_that_reasons_are_warnings_and_remarks_are_notes() -> None:
    _, notes = judge(SmartFacts(passed=False, media_errors=1, exit_status=64))
    assert [note.level for note in notes] == [NoteLevel.WARN, NoteLevel.WARN, NoteLevel.NOTE]


@pytest.mark.parametrize(
    ("facts", "wear"),
    [
        ({"percentage_used": 101, "rotation": 7200}, 101),
        ({"rotation": 7200, "attributes": (attribute(233, "Media_Wearout_Indicator", value=97),)}, None),
        ({"rotation": 0, "attributes": (attribute(233, "Media_Wearout_Indicator", value=97),)}, 3),
        ({"attributes": (attribute(202, "Percent_Lifetime_Used", 7),)}, 7),
        ({"attributes": (attribute(202, "Percent_Lifetime_Used", 255),)}, 255),
        ({"attributes": (attribute(202, "Percent_Lifetime_Used", 256),)}, None),
        ({"attributes": (attribute(202, "Percent_Lifetime_Used"),)}, None),
        ({"attributes": (attribute(5, "Other", 7), attribute(177, "Wear_Leveling_Count", value=100))}, 0),
        ({"attributes": (attribute(177, "Wear_Leveling_Count", value=0),)}, 100),
        ({"attributes": (attribute(177, "Wear_Leveling_Count", value=101),)}, None),
        ({"attributes": (attribute(177, "Wear_Leveling_Count", value=90), LEFT)}, 20),
        ({}, None),
    ],
)  # fmt: skip
def test_that_wear_is_what_the_drive_calls_it(facts: dict[str, object], wear: int | None) -> None:
    assert wear_percent(SmartFacts(**facts)) == wear  # type: ignore[arg-type]
