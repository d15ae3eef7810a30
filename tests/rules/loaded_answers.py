"""What is said of files of rules with faults, and what a sound one is read as."""

from tests.cases import cases
from tests.rules.machines import NUMBERS, design, disks, load_rule_book, raidz
from tests.rules.test_load import LIMITS, PROPERTY, RULE
from tests.rules.test_load_advice import ADVICE

from poolwright.rules.design_judge import judge_design
from poolwright.rules.rulebook import AnyRule, RuleBook, explain_rule
from poolwright.rules.texts import RuleErrors

SIX = disks(6)
_OF_RULES = cases(__file__, "of_rules")  # fmt: skip
_OF_PROPERTIES = cases(__file__, "of_properties")
_OF_LIMITS = cases(__file__, "of_limits")
_WHOLE = RULE.replace(
    "advice   =",
    'since = "2.1"\nuntil = "2.4.1"\ngoals = ["safety", "space"]\nneeds = ["vdev.io_stored_percent"]\n'
    'unknown = "{vdev.label}: say the size of the I/O."\nlive = "Leave {vdev.label} as it is."\nadvice   =',
).replace("vdev.width <= limit", "vdev.io_stored_percent > 20 and vdev.width <= limit").replace(
    "examples = [", "examples = [\n  { cannot-tell = { vdev.kind = \"raidz\", vdev.width = 7, version = \"2.2.0\" } },"
).replace("vdev.width = 9 }", "vdev.width = 9, vdev.io_stored_percent = 60 }").replace(
    "vdev.width = 8 }", "vdev.width = 8, vdev.io_stored_percent = 60, version = \"2.2.0\" }"
)  # fmt: skip


def _loaded(text: str, limits: str = LIMITS, own_limits: str | None = None) -> object:
    """Return the faults of a book of one file, or what it says."""
    try:
        book = load_rule_book(
            {"test.toml": text}, limits=limits, own_limits=own_limits, own_files={"own.toml": "schema = 1\n"}
        )
    except RuleErrors as error:
        return [str(problem) for problem in error.problems]
    return _said(book)


def _said(book: RuleBook) -> object:
    kinds: dict[str, object] = {"rules": book.rules, "properties": book.properties, "advice": book.advice}
    kinds["limits"] = tuple(book.limits.values())
    return {name: found for name, found in kinds.items() if found}


def loaded_answers() -> dict[str, object]:
    """Return by change of a sound file what is said of it."""
    found: dict[str, object] = {"whole": _loaded(_WHOLE), "property": _loaded(PROPERTY), "advice": _loaded(ADVICE)}
    for name, sound, changes in (("rule", RULE, _OF_RULES), ("property", PROPERTY, _OF_PROPERTIES)):
        found |= {f"{name}: {old} -> {new}": _loaded(sound.replace(old, new, 1)) for old, new in changes}
    for old, new in _OF_LIMITS:
        changed = LIMITS.replace(old, new, 1)
        found[f"limit: {old} -> {new}"] = [_loaded(RULE, changed), _loaded(RULE, own_limits=changed)]
    # A rule that has no words of its own for a fact that nobody knows.
    silent = "".join(line for line in _WHOLE.splitlines(keepends=True) if not line.startswith("unknown"))
    judged = judge_design(load_rule_book({"test.toml": silent}, limits=LIMITS), design(raidz(SIX, 2), of=SIX), NUMBERS)
    for name, text in (("rule", _WHOLE), ("property", PROPERTY), ("advice", ADVICE)):
        book = load_rule_book(
            {"test.toml": text}, limits=LIMITS, own_limits=LIMITS.replace("8", "9"), run_examples=False
        )
        every: list[AnyRule] = [*book.rules, *book.properties, *book.advice]
        found[f"{name} explained"] = [explain_rule(one, book) for one in every]
    return found | {"unknown": [f"{finding.outcome.value}: {finding.text}" for finding in judged]}
