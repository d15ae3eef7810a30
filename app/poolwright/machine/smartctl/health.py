"""The verdict on a drive: its own SMART result, and what its counters say against it."""

from poolwright.domain.disk import Health, Note, NoteLevel
from poolwright.machine.smartctl.facts import SmartFacts
from poolwright.texts import marked, tell

# smartctl(8), EXIT STATUS: a bit mask of facts. Bits 0 and 1: the device was not read at all.
BIT_COMMAND_FAILED, BIT_FAILING, BIT_PREFAIL, BIT_PAST, BIT_ERRORS, BIT_SELFTEST = 4, 8, 16, 32, 64, 128

_COUNTED = {
    5: marked("reallocated sectors"),
    197: marked("sectors waiting for reallocation"),
    198: marked("uncorrectable sectors"),
}
# Attributes whose normalised value counts the life that is left down from 100.
_LIFE_LEFT = (
    "Percent_Lifetime_Remain", "Media_Wearout_Indicator", "SSD_Life_Left", "Remaining_Lifetime_Perc",
    "Percent_Life_Remaining", "Wear_Leveling_Count", "Drive_Life_Remaining%", "Lifetime_Remaining%",
    "Remaining_Life", "Lifetime_Remaining",
)  # fmt: skip
_LIFE_USED_RAW = ("Perc_Rated_Life_Used", "Percent_Lifetime_Used", "Drive_Life_Used%", "Lifetime_Used")
_CRITICAL_BITS = (
    marked("spare capacity is below its threshold"),
    marked("temperature is outside its limits"),
    marked("reliability is degraded"),
    marked("media are read-only"),
    marked("the backup of volatile memory failed"),
    marked("the persistent memory region is unreliable"),
)


def judge(facts: SmartFacts) -> tuple[Health | None, tuple[Note, ...]]:
    """Return the health and one note per fact that speaks against the drive; None where nothing is known."""
    failing, suspect = _failing(facts), _suspect(facts)
    notes = [Note(text=text, level=NoteLevel.WARN) for text in (*failing, *suspect)]
    notes += [Note(text=text) for text in _remarks(facts)]
    if failing:
        return Health.FAILING, tuple(notes)
    if suspect:
        return Health.SUSPECT, tuple(notes)
    return (Health.GOOD if facts.passed else None), tuple(notes)


def _failing(facts: SmartFacts) -> list[str]:
    reasons = []
    if facts.passed is False or (facts.passed is None and _bit(facts, BIT_FAILING)):
        reasons.append(tell("SMART says that this drive is failing"))
    if facts.critical_warning:
        bits = [tell(text) for i, text in enumerate(_CRITICAL_BITS) if facts.critical_warning >> i & 1]
        reasons.append(tell("NVMe critical warning: {bits}", bits=", ".join(bits) or hex(facts.critical_warning)))
    return reasons


def _suspect(facts: SmartFacts) -> list[str]:
    reasons = []
    for attribute in facts.attributes:
        text = tell(_COUNTED.get(attribute.number, ""))
        if text and attribute.raw and _is_counter(attribute.name.lower(), attribute.raw):
            reasons.append(
                tell("{raw} {text} (SMART attribute {number})", raw=attribute.raw, text=text, number=attribute.number)
            )
        if attribute.failed.upper() in {"NOW", "FAILING_NOW"}:
            reasons.append(
                tell(
                    "SMART attribute {number} {name} is at or below its threshold",
                    number=attribute.number,
                    name=attribute.name,
                )
            )
    if facts.media_errors:
        reasons.append(tell("{media_errors} media errors", media_errors=facts.media_errors))
    if facts.grown_defects:
        reasons.append(tell("{grown_defects} grown defects", grown_defects=facts.grown_defects))
    if facts.uncorrected_errors:
        reasons.append(tell("{uncorrected_errors} uncorrected errors", uncorrected_errors=facts.uncorrected_errors))
    if facts.percentage_used is not None and facts.percentage_used >= 100:
        reasons.append(
            tell("{percentage_used} % of the rated endurance is used", percentage_used=facts.percentage_used)
        )
    if facts.available_spare is not None and facts.spare_threshold and facts.available_spare < facts.spare_threshold:
        reasons.append(tell("only {available_spare} % spare blocks are left", available_spare=facts.available_spare))
    warm, limit = facts.temperature, facts.temperature_limit
    if warm is not None and limit is not None and warm > limit >= 40:
        reasons.append(
            tell("it is {temperature} °C warm, above its limit of {limit} °C", temperature=warm, limit=limit)
        )
    if _bit(facts, BIT_PREFAIL) and not any("threshold" in r for r in reasons):
        reasons.append(tell("a pre-failure SMART attribute is at or below its threshold"))
    if _bit(facts, BIT_SELFTEST):
        reasons.append(tell("its log of self-tests contains failures"))
    return reasons


def _is_counter(name: str, raw: int) -> bool:
    # Some makers put other things at these numbers, or pack several counters into one huge value.
    known = any(word in name for word in ("alloc", "pending", "uncorrect", "unc_", "retired", "bad_block", "defect"))
    return known and raw < 1 << 31


def _remarks(facts: SmartFacts) -> list[str]:
    remarks = list(facts.remarks)
    if facts.smart_enabled is False:
        remarks.append(tell("SMART is switched off in this drive: its verdict may be out of date"))
    if any(a.failed.lower() in {"past", "in_the_past"} for a in facts.attributes) or _bit(facts, BIT_PAST):
        remarks.append(tell("a SMART attribute was at or below its threshold in the past"))
    if _bit(facts, BIT_ERRORS):
        remarks.append(tell("its error log contains errors"))
    if _bit(facts, BIT_COMMAND_FAILED):
        remarks.append(tell("a SMART command failed: some facts may be missing"))
    return remarks


def _bit(facts: SmartFacts, bit: int) -> bool:
    return facts.exit_status is not None and bool(facts.exit_status & bit)


def wear_percent(facts: SmartFacts) -> int | None:
    """Return the used share of the rated endurance in per cent (may exceed 100); None for hard disks and unknown."""
    if facts.percentage_used is not None:
        return facts.percentage_used
    if facts.rotation:
        return None
    for attribute in facts.attributes:
        if attribute.name in _LIFE_USED_RAW and attribute.raw is not None and attribute.raw <= 255:
            return attribute.raw
    for name in _LIFE_LEFT:
        left = next((a.value for a in facts.attributes if a.name == name), None)
        if left is not None and 0 <= left <= 100:
            return 100 - left
    return None
