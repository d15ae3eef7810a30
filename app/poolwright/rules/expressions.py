"""Expressions of rules: checked against the facts, compiled by rule-engine. Imported only when rules are loaded.

rule-engine compares a value with an unknown one to “false” without a word, lets regular expressions run for seconds
and knows clock and chance. What it may be given is therefore listed here token by token, and everything else refused.
"""

import decimal
import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from fractions import Fraction
from functools import cache
from typing import Any

from rule_engine import Context, DataType
from rule_engine import Rule as CompiledRule
from rule_engine.ast import (
    ArithmeticExpression,
    ComparisonExpression,
    ContainsExpression,
    FloatExpression,
    LogicExpression,
    TernaryExpression,
    UnaryExpression,
)
from rule_engine.errors import EngineError

from poolwright.rules.closures import Closure, closure
from poolwright.rules.facts import FACTS
from poolwright.rules.model import UnknownFact

LONGEST = 2000
_WORDS_FOR_TYPES = {str: "a text", int: "a number", float: "a number", bool: "true or false"}
_TYPES = {str: DataType.STRING, int: DataType.FLOAT, float: DataType.FLOAT, bool: DataType.BOOLEAN}

# One alternative per token that is allowed; what matches none of them is refused by name where it is well known.
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<limit>\$limit\s*\(\s*"(?P<key>[^"\\]*)"\s*\))
      | (?P<builtin>\$[A-Za-z_]\w*)
      | (?P<fact>[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)(?!["'])
      | (?P<number>\d+(?:\.\d+)?)(?![\w.])
      | (?P<string>"[^"\\\n]*")
      | (?P<refused>\*\*|=~~?|!~~?|\?\?|&\.?\[?|<<|>>|\||\^|'|\#|\{|\}|\\)
      | (?P<operator>==|!=|<=|>=|<|>|//|[-+*/%?:,()\[\]])
    )""",
    re.VERBOSE,
)
_KEYWORDS = frozenset({"and", "or", "not", "in", "true", "false"})
_REFUSED_WORDS = {
    "null": "an unknown fact is never compared; list it in `needs`",
    "nan": "it is no number",
    "inf": "it is no number",
    "for": "lists are not built in rules",
    "if": "write `condition ? this : that`",
}
_WHY_REFUSED = {
    "**": "powers can take for ever; use a fact or a limit",
    "=~": "a regular expression can take seconds",
    "!~": "a regular expression can take seconds",
    "??": "an unknown fact must not become a value; list it in `needs`",
    "&.": "an unknown fact must not become a value; list it in `needs`",
    "'": "write strings in double quotes",
}


class ExpressionError(Exception):
    """What is wrong with an expression, in words."""


@dataclass(frozen=True, slots=True)
class _Scanned:
    code: str
    facts: tuple[str, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineExpression:
    """An expression checked by rule-engine; fulfils model.Expression. ``checked`` is rule-engine's own form of it."""

    text: str
    facts: tuple[str, ...]
    limits: tuple[str, ...]
    checked: Any
    work_out: Closure

    def evaluate(self, facts: object) -> str | int | float | bool:
        """Return the value; raises UnknownFact when it touches a fact that is unknown."""
        value: str | int | float | bool | Fraction = self.work_out(facts)
        return value if not isinstance(value, Fraction) else _number(value)


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def compile_expression(
    text: str,
    *,
    parts: Collection[str],
    needs: Collection[str],
    limits: Mapping[str, int | float],
    result: type | None,
) -> EngineExpression:
    """Compile ``text``; ``parts`` are the parts of Facts it may ask about, ``result`` the type it must have.

    Raises ExpressionError: a refused operator or name, an optional fact not in ``needs``, types that do not match.
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST} characters")
    scanned = _scan(text, limits)
    for name in scanned.facts:
        _check_fact(name, parts, needs)
    # Sixty digits hold every product of two sizes, so that integers stay exact.
    context = Context(
        resolver=getattr,
        type_resolver={part: _part_type(part, frozenset(needs)) for part in _parts_of(scanned.facts)},
        decimal_context=decimal.Context(prec=60, traps=[decimal.InvalidOperation, decimal.DivisionByZero]),
        default_timezone=UTC,
    )
    try:
        compiled = CompiledRule(scanned.code, context)
    except EngineError as error:
        raise ExpressionError(_say(error)) from error
    except (decimal.DecimalException, ArithmeticError) as error:
        raise ExpressionError("its numbers cannot be worked out") from error
    except RecursionError as error:
        raise ExpressionError("it is nested too deeply") from error
    expression = compiled.statement.expression
    _check_types(expression)
    if result is not None and expression.result_type != _TYPES[result]:
        raise ExpressionError(f"it must give {_WORDS_FOR_TYPES[result]}")
    return EngineExpression(text, scanned.facts, scanned.limits, compiled, closure(expression))


def _say(error: EngineError) -> str:
    words = str(getattr(error, "message", None) or error)
    suggestion = getattr(error, "suggestion", None)
    return f"{words} (did you mean “{suggestion}”?)" if suggestion else words


def _scan(text: str, limits: Mapping[str, int | float]) -> _Scanned:
    """Return the expression with limits put in, after every token was found on the list."""
    code: list[str] = []
    facts: set[str] = set()
    used: set[str] = set()
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"“{text[position:].strip()[:12]}” is not understood")
        position = match.end()
        kind = match.lastgroup if match.lastgroup != "key" else "limit"
        word = match.group(kind or 0)
        if kind == "limit":
            key = match.group("key")
            if key not in limits:
                raise ExpressionError(f"there is no limit “{key}” in limits.toml")
            used.add(key)
            word = f"({limits[key]})"
        elif kind == "builtin":
            raise ExpressionError(f'“{word}” is not known; the only one is $limit("…")')
        elif kind == "refused":
            reason = _WHY_REFUSED.get(word[:2]) or _WHY_REFUSED.get(word)
            raise ExpressionError(f"“{word}” is refused" + (f": {reason}" if reason else ""))
        elif kind == "fact" and word not in _KEYWORDS:
            word = _fact_name(word)
            facts.add(word)
        code.append(word)
    if not code:
        raise ExpressionError("it is empty")
    return _Scanned(" ".join(code), tuple(sorted(facts)), tuple(sorted(used)))


def _fact_name(word: str) -> str:
    name = re.sub(r"\s+", "", word)
    if name in _REFUSED_WORDS:
        raise ExpressionError(f"“{name}” is refused: {_REFUSED_WORDS[name]}")
    return name


def _check_fact(name: str, parts: Collection[str], needs: Collection[str]) -> None:
    known = FACTS.get(name)
    if known is None:
        near = difflib.get_close_matches(name, FACTS, n=1)
        hint = f" (did you mean “{near[0]}”?)" if near else ""
        raise ExpressionError(f"“{name}” is not a fact{hint}")
    if name.split(".", maxsplit=1)[0] not in parts:
        raise ExpressionError(f"“{name}” is not known in this scope")
    if known.optional and name not in needs:
        raise ExpressionError(f"“{name}” may be unknown and is not listed in `needs`")


def _accessor(part: str) -> Callable[[object, str], object]:
    def fetch(value: object, attribute: str) -> object:
        found = getattr(value, attribute) if value is not None else None
        if found is None:
            raise UnknownFact(f"{part}.{attribute}")
        return found

    return fetch


def _parts_of(facts: Iterable[str]) -> set[str]:
    return {name.split(".", maxsplit=1)[0] for name in facts}


@cache
def _part_type(part: str, needs: frozenset[str]) -> Any:
    """Return rule-engine's type of a part of Facts; an optional fact that is not needed has none and is not used."""
    if part in FACTS:
        return _TYPES[FACTS[part].kind]
    attributes = {
        name.split(".")[1]: _TYPES[known.kind] if name in needs or not known.optional else DataType.UNDEFINED
        for name, known in FACTS.items()
        if name.startswith(part + ".")
    }
    return DataType.OBJECT(part, attributes=attributes, accessor=_accessor(part))


def _check_types(node: Any) -> None:
    """Refuse what rule-engine would let pass and answer with a quiet “false”: unlike types, numbers as conditions."""
    if isinstance(node, ArithmeticExpression) and node.type != "mul":
        if not isinstance(node.right, FloatExpression) or not node.right.value:
            raise ExpressionError("only a number or a limit may stand behind `/`, `//` and `%`, and it may not be 0")
    elif isinstance(node, ComparisonExpression):
        if node.left.result_type != node.right.result_type:
            raise ExpressionError("it compares values of different types")
    elif isinstance(node, ContainsExpression):
        if getattr(node.container.result_type, "value_type", None) != node.member.result_type:
            raise ExpressionError("the list holds other types than the value looked for")
    elif any(condition.result_type != DataType.BOOLEAN for condition in _conditions(node)):
        raise ExpressionError("`and`, `or`, `not` and `?` take conditions only, not numbers or texts")
    for name in ("left", "right", "container", "member", "condition", "case_true", "case_false"):
        child = getattr(node, name, None)
        if child is not None:
            _check_types(child)


def _conditions(node: Any) -> tuple[Any, ...]:
    if isinstance(node, LogicExpression):
        return node.left, node.right
    if isinstance(node, UnaryExpression) and node.type == "not":
        return (node.right,)
    return (node.condition,) if isinstance(node, TernaryExpression) else ()
