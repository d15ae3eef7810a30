"""Expressions: what is refused at load, and that their values are exact."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.rules.expressions import ExpressionError, compile_expression
from poolwright.rules.facts import FACTS, SCOPE_PARTS, Facts, UnknownFact, only_known
from poolwright.rules.rulebook import Expression, RuleBook

LIMITS = {"vdevs.most": 20, "share.least": 0.75}


def _compile(text: str, *needs: str, condition: bool = True, scope: str = "data_vdev") -> Expression:
    return compile_expression(text, parts=SCOPE_PARTS[scope], needs=needs, limits=LIMITS, condition=condition)


def _facts(**parts: dict[str, Any]) -> Facts:
    return only_known({f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()})


_REFUSED = (
    "vdev.width ** 2 > 3", "vdev.width << 3 > 3", "vdev.width | 3 > 3", "~vdev.width > 3",
    "vdev.width > 3 if +vdev.width else True", "[x for x in vdev.kind]", "[1, 2]", "lambda: 3", "max(vdev.width) > 3",
    "vdev.kind.startswith('raid')", "vdev.kind[0] == 'r'", "f'{vdev.kind}' == 'raidz'", "vdev.kind is 'raidz'",
    "(vdev.width > 3).real", "b'raidz' == vdev.kind", "vdev.width > 3j", "vdev.width > ...",
)  # fmt: skip
_NOT_UNDERSTOOD = (
    "(vdev.width := 3) > 3", "vdev.kind =~ 'raid.*'", "vdev.kind == 'rai\\d'", "vdev.width == 1if vdev.width else 3",
    "vdev.width > 3\0", "", "vdev.width >", "vdev.width > 3\nand vdev.width < 9",
    "(" * 900 + "vdev.width" + ")" * 900 + " > 3",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "not understood") for text in _NOT_UNDERSTOOD), *((text, "refused") for text in _REFUSED),
        ("vdev.__class__ == 3", "not a fact"), ("limit.nothing > 3", "no limit"), ("vdev.media == null", "needs"),
        ("vdev.media == None", "needs"), ("vdev.wdith > 3", "Did you mean"), ("disk.smr", "scope"),
        ("vdev.kind == 3", "different types"), ("vdev.kind > 'raidz'", "numbers only"),
        ("1 < vdev.width < 3", "two values at a time"), ('vdev.width in ["a", "b"]', "different types"),
        ("vdev.width in [vdev.parity]", "`in` takes a list"), ('vdev.kind in "raidz"', "`in` takes a list"),
        ("vdev.width and vdev.parity > 0", "conditions only"), ("not vdev.width", "conditions only"),
        ("vdev.width > 3 if vdev.width else True", "conditions only"),
        ("vdev.width > 3 if vdev.width > 2 else 3", "different types"), ("-vdev.kind == 'raidz'", "numbers only"),
        ("vdev.kind + 'x' == 'raidz'", "numbers only"), ("vdev.width > True", "different types"),
        ("vdev.width", "true or false"), ("vdev.width / vdev.parity > 1", "behind"), ("vdev.width / 0 > 1", "behind"),
        ("vdev.width % (3 - 3) > 1", "behind"), ("vdev.kind.length > 3", "not a fact"),
        ("vdev.media_mixed", "may be unknown"), ("vdev.width > 1e400", "beyond all measure"),
        ("vdev.width > 1e-31", "beyond all measure"), ("vdev.width > 3 and " * 200 + "True", "longer"),
        ("not " * 400 + "vdev.media_mixed", "too deeply"), ("-" * 1900 + "1 > vdev.width", "too deeply"),
        ("1+" * 900 + "1 > vdev.width", "too deeply"),
    ],
)  # fmt: skip
def test_that_an_expression_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        _compile(text)


def test_that_numbers_beyond_floating_point_compare_exactly() -> None:
    equal = _compile("pool.usable_bytes == 1152921504606846977", "pool.usable_bytes")
    assert equal.evaluate(_facts(pool={"usable_bytes": (1 << 60) + 1})) is True
    assert equal.evaluate(_facts(pool={"usable_bytes": 1 << 60})) is False


@given(st.integers(0, 1 << 63), st.integers(0, 1 << 63))
def test_that_products_of_sizes_are_exact(a: int, b: int) -> None:
    wider = _compile("vdev.least_bytes * vdev.total_bytes > vdev.wasted_bytes")
    facts = _facts(vdev={"least_bytes": a, "total_bytes": b, "wasted_bytes": a * b})
    assert wider.evaluate(facts) is False
    assert wider.evaluate(_facts(vdev={"least_bytes": a, "total_bytes": b, "wasted_bytes": a * b - 1})) is True


def test_that_a_division_does_not_lose_a_byte() -> None:
    share = _compile("pool.raw_bytes / 3 * 3 == pool.raw_bytes")
    assert share.evaluate(_facts(pool={"raw_bytes": 10**18 + 1})) is True


def test_that_a_limit_that_is_no_whole_number_is_exact() -> None:
    least = _compile("vdev.width * limit.share.least == 3")
    assert least.limits == ("share.least",)
    assert least.evaluate(_facts(vdev={"width": 4})) is True


def test_that_an_unknown_fact_raises_its_name() -> None:
    with pytest.raises(UnknownFact, match=r"vdev\.media_mixed"):
        _compile("vdev.media_mixed", "vdev.media_mixed").evaluate(_facts(vdev={"media_mixed": None}))


def test_that_an_unknown_fact_is_not_missed_where_the_left_side_decides() -> None:
    guarded = _compile('vdev.kind == "raidz" and vdev.media_mixed', "vdev.media_mixed")
    assert guarded.evaluate(_facts(vdev={"kind": "mirror", "media_mixed": None})) is False


def test_that_a_part_that_a_subject_does_not_have_counts_as_unknown() -> None:
    with pytest.raises(UnknownFact):
        _compile("vdev.width > 1").evaluate(_facts())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 // 2", 3),
        ("(0 - 7) // 2", -4),
        ("(0 - 7) % 4", 1),
        ("1 / 4", 0.25),
        ("0.1 + 0.2", 0.3),
        ("6 / 3", 2),
        ("2 + 3 * 4 - -1", 15),
        ("1" + "0" * 29 + " * 1" + "0" * 29, 10**58),
    ],
)
def test_that_numbers_are_reckoned_with_as_in_python_but_exactly(text: str, value: float) -> None:
    found = _compile(f"{text} + 0 * vdev.width", condition=False).evaluate(_facts(vdev={"width": 1}))
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("width", "told"), [(1, "a"), (2, "b"), (3, "c")])
def test_that_choices_follow_one_another(width: int, told: str) -> None:
    chosen = _compile("'a' if vdev.width == 1 else 'b' if vdev.width == 2 else 'c'", condition=False)
    assert chosen.evaluate(_facts(vdev={"width": width})) == told


@pytest.mark.parametrize(("width", "inside"), [(3, True), (4, False), (20, True)])
def test_that_a_list_may_hold_limits(width: int, inside: bool) -> None:
    facts = _facts(vdev={"width": width})
    assert _compile("vdev.width in [3, limit.vdevs.most]").evaluate(facts) is inside
    assert _compile("vdev.width not in (3, limit.vdevs.most)").evaluate(facts) is not inside


def test_that_conditions_are_asked_from_left_to_right_until_one_decides() -> None:
    asked = _compile("vdev.width == 1 or vdev.width == 2 or vdev.media_mixed", "vdev.media_mixed")
    assert asked.evaluate(_facts(vdev={"width": 2, "media_mixed": None})) is True
    with pytest.raises(UnknownFact):
        asked.evaluate(_facts(vdev={"width": 3, "media_mixed": None}))


def test_that_an_expression_may_take_several_lines_in_brackets() -> None:
    assert _compile("(\n  vdev.width > 3  # wide\n  and vdev.width < 9\n)").evaluate(_facts(vdev={"width": 5})) is True


def test_that_the_facts_of_an_expression_are_known() -> None:
    assert _compile("vdev.width > pool.data_vdevs").facts == ("pool.data_vdevs", "vdev.width")


_VALUES: dict[type, st.SearchStrategy[Any]] = {
    str: st.sampled_from(["raidz", "mirror", "disk", "draid", "hdd", "ssd", "log", "cache", "special", "off", "smb"]),
    int: st.one_of(st.integers(0, 300), st.integers(0, 1 << 50)),
    float: st.integers(0, 400).map(lambda quarters: quarters / 4),
    bool: st.booleans(),
}


@given(data=st.data())
def test_that_our_evaluation_and_pythons_own_agree_on_every_shipped_expression(
    data: st.DataObject, shipped: RuleBook
) -> None:
    expressions = [
        *(e for rule in shipped.rules for e in (rule.when, rule.holds)),
        *(e for rule in shipped.properties for e in (rule.when, rule.value)),
        *(e for rule in shipped.advice for e in (rule.when, rule.value)),
    ]
    limits = _nested({key: limit.value for key, limit in shipped.limits.items()})
    for expression in data.draw(st.lists(st.sampled_from(expressions), min_size=1, max_size=5)):
        if expression is None:
            continue
        given_facts = {name: data.draw(_VALUES[FACTS[name].kind]) for name in expression.facts}
        names = {**vars(_nested(given_facts)), "limit": limits}
        pythons = eval(expression.text, {"__builtins__": {}}, names)
        assert expression.evaluate(given_facts) == pythons


def _nested(values: dict[str, Any]) -> SimpleNamespace:
    """Return values by dotted names as objects with attributes."""
    whole = SimpleNamespace()
    for name, value in values.items():
        *parts, last = name.split(".")
        place = whole
        for part in parts:
            if not hasattr(place, part):
                setattr(place, part, SimpleNamespace())
            place = getattr(place, part)
        setattr(place, last, value)
    return whole
