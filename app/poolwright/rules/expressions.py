"""Expressions of rules: a closed part of Python's own, checked against the facts, worked out by functions of ours.

The standard library's ``ast`` only parses. What it finds is taken node by node from a short list and everything else
refused, so an expression reaches nothing but facts and limits. Integers stay ``int`` and other numbers are fractions,
so comparisons are exact; a fact that is unknown stops the work instead of comparing to a quiet “false”.
"""

import ast
import difflib
import operator
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from poolwright.rules.facts import FACTS
from poolwright.rules.model import Expression, UnknownFact
from poolwright.texts import marked, tell

LONGEST = 2000
_DEEPEST = 100
_LARGEST = 10**30
LIMIT = "limit."
Closure = Callable[[Any], Any]
_Operation = Callable[[Any, Any], Any]
# Three kinds of values; ``int`` stands for every number.
_KINDS: dict[type, type] = {str: str, int: int, float: int, bool: bool}
_WORDS_FOR_KINDS = {str: marked("a text"), int: marked("a number"), bool: marked("true or false")}
_ORDER: dict[type[ast.cmpop], _Operation] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMPARE: dict[type[ast.cmpop], _Operation] = {ast.Eq: operator.eq, ast.NotEq: operator.ne, **_ORDER}
_DIVIDE: dict[type[ast.operator], _Operation] = {
    ast.Div: lambda left, right: Fraction(left) / right,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ARITHMETIC: dict[type[ast.operator], _Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    **_DIVIDE,
}


class ExpressionError(Exception):
    """What is wrong with an expression, in words."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an expression: the kind of its value, what works it out, and whether that needs no facts."""

    kind: type
    work_out: Closure
    constant: bool = False


def compile_expression(
    text: str, *, parts: Collection[str], needs: Collection[str], limits: Mapping[str, int | float], result: type | None
) -> Expression:
    """Compile ``text``; ``parts`` are the parts of Facts it may ask about, ``result`` the type it must have.

    Raises ExpressionError: a refused operator or name, an optional fact not in ``needs``, types that do not match.
    """
    reader = _Reader(parts, needs, limits)
    try:
        whole = reader.part(_parsed(text))
    except (RecursionError, MemoryError) as error:
        raise ExpressionError(tell("it is nested too deeply")) from error
    if result is not None and whole.kind is not _KINDS[result]:
        raise ExpressionError(tell("it must give {kind}", kind=tell(_WORDS_FOR_KINDS[_KINDS[result]])))
    work_out = whole.work_out
    evaluate: Closure = work_out if whole.kind is not int else lambda facts: _number(work_out(facts))
    return Expression(text, tuple(sorted(reader.facts)), tuple(sorted(reader.limits)), evaluate)


def _parsed(text: str) -> ast.expr:
    if not text.strip():
        raise ExpressionError(tell("it is empty"))
    if len(text) > LONGEST:
        raise ExpressionError(tell("it is longer than {longest} characters", longest=LONGEST))
    try:
        with warnings.catch_warnings(action="error"):
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ExpressionError(tell("it is not understood: {error}", error=error)) from error


def _number(value: int | Fraction) -> int | float:
    # No float holds all that lies beyond; a fraction of one does not count there.
    if isinstance(value, int) or value.denominator == 1 or abs(value) > _LARGEST:
        return round(value)
    return float(value)


def _exact(value: Any) -> Any:
    """Return a float as a fraction, that of the decimal number it is written as; anything else as it is."""
    return Fraction(repr(value)) if isinstance(value, float) else value


class _Reader:
    """Takes an expression apart; keeps which facts and limits it uses."""

    def __init__(self, parts: Collection[str], needs: Collection[str], limits: Mapping[str, int | float]) -> None:
        self.facts: set[str] = set()
        self.limits: set[str] = set()
        self._parts, self._needs, self._known_limits = parts, needs, limits
        self._depth = 0

    def part(self, node: ast.expr) -> _Part:
        """Return a node as a part; raises ExpressionError where it, or anything in it, is not on the list."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError(tell("it is nested too deeply"))
        made = self._part(node)
        self._depth -= 1
        return made

    def _part(self, node: ast.expr) -> _Part:
        match node:
            case ast.Constant():
                return _constant(node.value)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.BoolOp():
                conditions = [self._condition(value).work_out for value in node.values]
                return _Part(bool, _joined(conditions, every=isinstance(node.op, ast.And)))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._compared(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.IfExp():
                return self._choice(node)
            case _:
                raise _refused(node)

    def _named(self, node: ast.Name | ast.Attribute) -> _Part:
        name = _dotted(node)
        if name.startswith(LIMIT):
            key = name.removeprefix(LIMIT)
            if key not in self._known_limits:
                raise ExpressionError(tell("there is no limit “{key}” in limits.toml", key=key))
            self.limits.add(key)
            return _constant(self._known_limits[key])
        known = FACTS.get(name)
        if known is None:
            near = difflib.get_close_matches(name, FACTS, n=1)
            hint = tell("did you mean “{near}”?", near=near[0]) if near else ""
            raise ExpressionError(tell("“{name}” is not a fact", name=name) + (f" ({hint})" if hint else ""))
        if name.split(".", maxsplit=1)[0] not in self._parts:
            raise ExpressionError(tell("“{name}” is not known in this scope", name=name))
        if known.optional and name not in self._needs:
            raise ExpressionError(tell("“{name}” may be unknown and is not listed in `needs`", name=name))
        self.facts.add(name)
        return _Part(_KINDS[known.kind], _fetching(name))

    def _condition(self, node: ast.expr) -> _Part:
        return self._of_kind(node, bool, tell("`and`, `or`, `not` and `if` take conditions only, not numbers or texts"))

    def _of_kind(self, node: ast.expr, kind: type, words: str) -> _Part:
        part = self.part(node)
        if part.kind is not kind:
            raise ExpressionError(words)
        return part

    def _unary(self, node: ast.UnaryOp) -> _Part:
        if isinstance(node.op, ast.Not):
            condition = self._condition(node.operand).work_out
            return _Part(bool, lambda facts: not condition(facts))
        if not isinstance(node.op, ast.USub):
            raise _refused(node)
        number = self._of_kind(node.operand, int, tell("`-` takes numbers only"))
        return _folded(int, lambda facts: -number.work_out(facts), number)

    def _compared(self, node: ast.Compare) -> _Part:
        if len(node.ops) != 1:
            raise ExpressionError(tell("compare two values at a time, and join comparisons with `and`"))
        left, kind = self.part(node.left), type(node.ops[0])
        if kind in (ast.In, ast.NotIn):
            return self._member(left, node.comparators[0], wanted=kind is ast.In)
        if kind not in _COMPARE:
            raise _refused(node)
        right = self.part(node.comparators[0])
        if left.kind is not right.kind:
            raise ExpressionError(tell("it compares values of different types"))
        if kind in _ORDER and left.kind is not int:
            raise ExpressionError(tell("only numbers are less or more than another"))
        return _Part(bool, _binary(_COMPARE[kind], left, right))

    def _member(self, member: _Part, container: ast.expr, *, wanted: bool) -> _Part:
        if not isinstance(container, ast.List | ast.Tuple):
            raise ExpressionError(tell("behind `in` stands a list: [1, 2]"))
        items = [self.part(item) for item in container.elts]
        if any(item.kind is not member.kind for item in items):
            raise ExpressionError(tell("the list holds other types than the value looked for"))
        if not all(item.constant for item in items):
            raise ExpressionError(tell("the list holds numbers, texts and limits only"))
        values, looked_for = tuple(item.work_out(None) for item in items), member.work_out
        return _Part(bool, lambda facts: (looked_for(facts) in values) is wanted)

    def _arithmetic(self, node: ast.BinOp) -> _Part:
        kind = type(node.op)
        if kind not in _ARITHMETIC:
            raise _refused(node)
        left, right = (
            self._of_kind(side, int, tell("only numbers are reckoned with")) for side in (node.left, node.right)
        )
        if kind in _DIVIDE and not (right.constant and right.work_out(None)):
            raise ExpressionError(
                tell("only a number or a limit may stand behind `/`, `//` and `%`, and it may not be 0")
            )
        return _folded(int, _binary(_ARITHMETIC[kind], left, right), left, right)

    def _choice(self, node: ast.IfExp) -> _Part:
        condition, this, that = self._condition(node.test), self.part(node.body), self.part(node.orelse)
        if this.kind is not that.kind:
            raise ExpressionError(tell("before `if` and behind `else` stand values of one type"))
        asked, first, second = condition.work_out, this.work_out, that.work_out
        return _Part(this.kind, lambda facts: first(facts) if asked(facts) else second(facts))


def _refused(node: ast.expr) -> ExpressionError:
    return ExpressionError(
        tell(
            "“{node}” is refused: a rule knows facts, limits, numbers, texts, True, False, and "
            "or not, == != < <= > >=, in [...], + - * / // %, `a if c else b`",
            node=ast.unparse(node)[:40],
        )
    )


def _dotted(node: ast.expr) -> str:
    """Return a dotted name; raises ExpressionError where it is the attribute of anything else."""
    names: list[str] = []
    part = node
    while isinstance(part, ast.Attribute):
        names.append(part.attr)
        part = part.value
    if not isinstance(part, ast.Name):
        raise _refused(node)
    return ".".join((part.id, *reversed(names)))


def _constant(value: object) -> _Part:
    if value is None:
        raise ExpressionError(tell("“None” is refused: an unknown fact is never compared; list it in `needs`"))
    kind = _KINDS.get(type(value))
    if kind is None:
        raise ExpressionError(tell("“{value!r}” is refused: there are numbers, texts, True and False", value=value))
    if isinstance(value, int | float) and value and not 1 / _LARGEST < abs(value) < _LARGEST:
        raise ExpressionError(tell("a number is beyond all measure"))
    exact = _exact(value)
    return _Part(kind, lambda _: exact, constant=True)


def _folded(kind: type, work_out: Closure, *of: _Part) -> _Part:
    """Return a part, worked out at once where all that it is made ``of`` needs no facts."""
    if not all(part.constant for part in of):
        return _Part(kind, work_out)
    value = work_out(None)
    return _Part(kind, lambda _: value, constant=True)


def _binary(operate: _Operation, left: _Part, right: _Part) -> Closure:
    first, second = left.work_out, right.work_out
    if right.constant:
        value = second(None)
        return lambda facts: operate(first(facts), value)
    return lambda facts: operate(first(facts), second(facts))


def _joined(conditions: Sequence[Closure], *, every: bool) -> Closure:
    """Return the conditions joined by ``and`` (``every``) or ``or``, asked from left to right until one decides."""
    decide = all if every else any
    return lambda facts: decide(condition(facts) for condition in conditions)


def _fetching(name: str) -> Closure:
    """Return what looks a fact up; it raises UnknownFact where the fact, or the whole part, is unknown."""
    part, _, attribute = name.partition(".")
    if not attribute:
        return operator.attrgetter(part)
    part_of, value_of = operator.attrgetter(part), operator.attrgetter(attribute)

    def fetch(facts: Any) -> Any:
        found = part_of(facts)
        value = value_of(found) if found is not None else None
        if value is None:
            raise UnknownFact(name)
        return _exact(value) if isinstance(value, float) else value

    return fetch
