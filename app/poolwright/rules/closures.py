"""A checked expression of rule-engine -> nested functions that give the same values about ten times as fast.

rule-engine parses and checks types; its evaluation converts every number to a Decimal and looks every symbol up
through several layers, too slow for thousands of layouts. Here integers stay ``int`` and other numbers are
fractions, so comparisons are as exact as there. A test compares both on every rule.
"""

import decimal
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rule_engine.ast import (
    AddExpression,
    ArithmeticExpression,
    ArrayExpression,
    ComparisonExpression,
    ContainsExpression,
    GetAttributeExpression,
    LiteralExpressionBase,
    LogicExpression,
    SubtractExpression,
    SymbolExpression,
    TernaryExpression,
    UnaryExpression,
)

from poolwright.rules.model import UnknownFact

Closure = Callable[[Any], Any]
_COMPARE = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}


def _truncated(left: Any, right: Any) -> Any:
    return math.trunc(Fraction(left) / right)


def _rest(left: Any, right: Any) -> Any:
    # As of decimals: the quotient is cut towards zero, so the rest has the sign of the left side.
    return left - right * _truncated(left, right)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "mul": operator.mul,
    "tdiv": lambda left, right: Fraction(left) / right,
    "fdiv": _truncated,
    "mod": _rest,
    "add": operator.add,
    "sub": operator.sub,
}


def exact(value: Any) -> Any:
    """Return a number as ``int`` or fraction; anything else as it is."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else Fraction(value)
    return Fraction(repr(value)) if isinstance(value, float) else value


def closure(node: Any) -> Closure:
    """Return a function of the facts for a node; raises TypeError for a node that no checked expression has."""
    if isinstance(node, LogicExpression | ComparisonExpression | AddExpression | SubtractExpression):
        return _binary(node)
    if isinstance(node, ArithmeticExpression):
        return _binary(node)
    if isinstance(node, ArrayExpression):
        members = tuple(closure(member) for member in node.value)
        return lambda facts: tuple(member(facts) for member in members)
    if isinstance(node, LiteralExpressionBase):
        value = exact(node.value)
        return lambda _: value
    if isinstance(node, GetAttributeExpression | SymbolExpression):
        return _fact(node)
    if isinstance(node, ContainsExpression):
        inside, looked_for = closure(node.container), closure(node.member)
        return lambda facts: looked_for(facts) in inside(facts)
    if isinstance(node, TernaryExpression):
        condition, this, that = closure(node.condition), closure(node.case_true), closure(node.case_false)
        return lambda facts: this(facts) if condition(facts) else that(facts)
    if isinstance(node, UnaryExpression):
        right = closure(node.right)
        return (lambda facts: not right(facts)) if node.type == "not" else (lambda facts: -right(facts))
    raise TypeError(f"{type(node).__name__} is no part of a rule")


def _binary(node: Any) -> Closure:
    left, right = closure(node.left), closure(node.right)
    if node.type == "and":
        return lambda facts: left(facts) and right(facts)
    if node.type == "or":
        return lambda facts: left(facts) or right(facts)
    operate = _COMPARE.get(node.type) or _ARITHMETIC[node.type]
    return lambda facts: operate(left(facts), right(facts))


def _fact(node: Any) -> Closure:
    if isinstance(node, SymbolExpression):
        symbol: Closure = operator.attrgetter(node.name)
        return symbol
    part, name = node.object.name, node.name
    part_of, value_of = operator.attrgetter(part), operator.attrgetter(name)

    def fetch(facts: Any) -> Any:
        found = part_of(facts)
        value = value_of(found) if found is not None else None
        if value is None:
            raise UnknownFact(f"{part}.{name}")
        return exact(value) if isinstance(value, float) else value

    return fetch
