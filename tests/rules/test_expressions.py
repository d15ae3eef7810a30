"""Expressions: what is refused at load, and that their values are exact."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.rules.expressions import EngineExpression, ExpressionError, compile_expression
from poolwright.rules.facts import FACTS, SCOPE_PARTS
from poolwright.rules.model import RuleBook, UnknownFact

LIMITS = {"vdevs.most": 20, "share.least": 0.75}


def _compile(text: str, *needs: str, result: type | None = bool, scope: str = "data_vdev") -> EngineExpression:
    return compile_expression(text, parts=SCOPE_PARTS[scope], needs=needs, limits=LIMITS, result=result)


def _facts(**parts: dict[str, object] | str) -> Any:
    named = {part: SimpleNamespace(**v) if isinstance(v, dict) else v for part, v in parts.items()}
    return SimpleNamespace(**named)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vdev.width ** 2 > 3", "refused"),
        ('vdev.kind =~ "raid.*"', "regular expression"),
        ('vdev.kind =~~ "raid.*"', "regular expression"),
        ('vdev.kind !~ "raid.*"', "regular expression"),
        ('vdev.kind !~~ "raid.*"', "regular expression"),
        ("vdev.width << 3 > 3", "refused"),
        ("$now > 3", "is not known"),
        ("$random(3) > 3", "is not known"),
        ('$limit("nothing") > 3', "no limit"),
        ("vdev.smr ?? true", "refused"),
        ("vdev.media == null", "needs"),
        ("[x for x in vdev.kind]", "refused"),
        ("vdev.wdith > 3", "did you mean"),
        ("disk.smr", "scope"),
        ("vdev.kind == 3", "different types"),
        ('vdev.width in ["a", "b"]', "other types"),
        ("vdev.width and vdev.parity > 0", "conditions only"),
        ("not vdev.width", "conditions only"),
        ("vdev.width", "true or false"),
        ("vdev.width / vdev.parity > 1", "behind"),
        ("vdev.width / 0 > 1", "behind"),
        ("vdev.kind.length > 3", "not a fact"),
        ("vdev.media_mixed", "may be unknown"),
        ("", "empty"),
        ("vdev.width >", "syntax"),
        ("vdev.width > 3 # aside", "refused"),
        ("vdev.kind == 'raidz'", "double quotes"),
        ("vdev.width > 3 and " * 200 + "true", "longer"),
    ],
)
def test_that_an_expression_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        _compile(text)


def test_that_numbers_beyond_floating_point_compare_exactly() -> None:
    equal = _compile("pool.usable_bytes == 1152921504606846977", "pool.usable_bytes")
    assert equal.evaluate(_facts(pool={"usable_bytes": (1 << 60) + 1})) is True
    assert equal.evaluate(_facts(pool={"usable_bytes": 1 << 60})) is False


@given(st.integers(0, 1 << 63), st.integers(0, 1 << 63))
def test_that_products_of_sizes_are_exact(a: int, b: int) -> None:
    wider = _compile("vdev.least_bytes * vdev.largest_bytes > vdev.wasted_bytes")
    facts = _facts(vdev={"least_bytes": a, "largest_bytes": b, "wasted_bytes": a * b})
    assert wider.evaluate(facts) is False
    assert wider.evaluate(_facts(vdev={"least_bytes": a, "largest_bytes": b, "wasted_bytes": a * b - 1})) is True


def test_that_a_division_does_not_lose_a_byte() -> None:
    share = _compile("pool.raw_bytes / 3 * 3 == pool.raw_bytes")
    assert share.evaluate(_facts(pool={"raw_bytes": 10**18 + 1})) is True


def test_that_a_limit_that_is_no_whole_number_is_exact() -> None:
    least = _compile('vdev.width * $limit("share.least") == 3')
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
        _compile("vdev.width > 1").evaluate(SimpleNamespace(vdev=None))


@pytest.mark.parametrize(("text", "value"), [("7 // 2", 3), ("0 - 7 // 2", -3), ("(0 - 7) % 4", -3), ("1 / 4", 0.25)])
def test_that_division_follows_the_engine(text: str, value: float) -> None:
    compiled = _compile(f"{text} + 0 * vdev.width", result=int)
    facts = _facts(vdev={"width": 1})
    assert compiled.evaluate(facts) == value
    assert float(compiled.checked.evaluate(facts)) == value


def test_that_the_facts_of_an_expression_are_known() -> None:
    assert _compile("vdev.width > pool.data_vdevs").facts == ("pool.data_vdevs", "vdev.width")


_VALUES: dict[type, st.SearchStrategy[Any]] = {
    str: st.sampled_from(["raidz", "mirror", "disk", "draid", "hdd", "ssd", "log", "cache", "special", "off", "smb"]),
    int: st.one_of(st.integers(0, 300), st.integers(0, 1 << 50)),
    float: st.floats(0, 100),
    bool: st.booleans(),
}


@given(data=st.data())
def test_that_our_evaluation_and_the_engines_agree_on_every_shipped_expression(
    data: st.DataObject, shipped: RuleBook
) -> None:
    expressions = [
        *(e for rule in shipped.rules for e in (rule.when, rule.holds)),
        *(e for rule in shipped.properties for e in (rule.when, rule.value)),
    ]
    for expression in data.draw(st.lists(st.sampled_from(expressions), min_size=1, max_size=5)):
        if not isinstance(expression, EngineExpression):
            continue
        parts: dict[str, Any] = {}
        for name in expression.facts:
            part, _, field = name.partition(".")
            value = data.draw(_VALUES[FACTS[name].kind])
            if field:
                parts.setdefault(part, {})[field] = value
            else:
                parts[part] = value
        facts = _facts(**parts)
        assert expression.evaluate(facts) == expression.checked.evaluate(facts)
