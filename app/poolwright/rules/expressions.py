"""Expressions of rules: a closed part of Python's own, checked against the facts, then compiled by Python itself.

What the standard library's ``ast`` finds is taken node by node from a short list and everything else refused, so an
expression reaches nothing but facts and limits. Integers stay ``int`` and other numbers are fractions, so comparisons
are exact; a fact that is unknown stops the work instead of comparing to a quiet “false”.
"""

import ast
import re
import warnings
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from poolwright.rules.facts import FACTS
from poolwright.rules.rulebook import Expression
from poolwright.texts import N_, _

LONGEST = 2000
_WARNED_OF = re.compile(r"\\|\d[a-z_]", re.IGNORECASE)  # an escape that is none, a number run into a word
_DEEPEST = 100
_LARGEST = 10**30
LIMIT = "limit."
# Three kinds of values; ``int`` stands for every number.
_KINDS: dict[type, type] = {str: str, int: int, float: int, bool: bool}
_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
# What is compiled is a function of one argument, by which a fact is asked for under its full name.
_FACTS = ast.Name("facts", ast.Load(), **_PLACE)
_ARGUMENTS = ast.arguments([], [ast.arg("facts", **_PLACE)], None, [], [], None, [])
_EQUAL = (ast.Eq, ast.NotEq)
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_DIVIDE = (ast.Div, ast.FloorDiv, ast.Mod)
_SUMS = (ast.Add, ast.Sub, ast.Mult, *_DIVIDE)
_NUMBERS = N_("arithmetic, `<` and `>` take numbers only")
_ONE_TYPE = N_("values of different types stand side by side")
_CONDITIONS = N_("`and`, `or`, `not` and `if` take conditions only, not numbers or texts")


class ExpressionError(Exception):
    """What is wrong with an expression, in words."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an expression: the kind of its value, what Python compiles, and whether that needs no facts."""

    kind: type
    node: ast.expr
    constant: bool = False


def compile_expression(
    text: str, *, parts: Collection[str], needs: Collection[str], limits: Mapping[str, int | float], condition: bool
) -> Expression:
    """Compile ``text``; ``parts`` are the parts of Facts it may ask about; a ``condition`` is true or false.

    Raises ExpressionError: a refused operator or name, an optional fact not in ``needs``, types that do not match.
    """
    if len(text) > LONGEST:
        raise ExpressionError(_("it is longer than {longest} characters", longest=LONGEST))
    reader = _Reader(parts, needs, limits)
    try:
        # Catching warnings costs more than parsing, and Python warns of nothing else in what is taken below.
        with warnings.catch_warnings(action="error") if _WARNED_OF.search(text) else nullcontext():
            tree = ast.parse(text.strip(), mode="eval")
        whole = reader.part(tree.body)
        work_out = _worked_out(ast.Lambda(_ARGUMENTS, whole.node, **_PLACE), reader.names)
    except (SyntaxError, ValueError) as error:
        raise ExpressionError(_("it is not understood: {error}", error=error)) from error
    except (RecursionError, MemoryError) as error:
        raise ExpressionError(_("it is nested too deeply")) from error
    if condition and whole.kind is not bool:
        raise ExpressionError(_("it must give true or false"))
    evaluate = (lambda facts: _number(work_out(facts))) if whole.kind is int else work_out
    return Expression(text, tuple(sorted(reader.facts)), tuple(sorted(reader.used_limits)), evaluate)


def _worked_out(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value of what the reader took: there is nothing else in it, and nothing but ``names`` around it."""
    return eval(compile(ast.Expression(node), "<rule>", "eval"), names)  # noqa: S307


def exact(value: Any) -> Any:
    """Return a float as a fraction, that of the decimal number it is written as; anything else as it is."""
    return Fraction(repr(value)) if isinstance(value, float) else value


def _number(value: int | Fraction) -> int | float:
    # No float holds all that lies beyond; a fraction of one does not count there.
    if isinstance(value, int) or value.denominator == 1 or abs(value) > _LARGEST:
        return round(value)
    return float(value)


@dataclass(slots=True)
class _Reader:
    """Takes an expression apart; keeps which facts and limits it uses, and by what names numbers stand in it."""

    parts: Collection[str]
    needs: Collection[str]
    limits: Mapping[str, int | float]
    facts: set[str] = field(default_factory=set)
    used_limits: set[str] = field(default_factory=set)
    names: dict[str, Any] = field(default_factory=lambda: {"__builtins__": {}, "Fraction": Fraction, "exact": exact})
    depth: int = 0

    def part(self, node: ast.expr, kind: type | None = None, words: str = "") -> _Part:
        """Return a node as a part; raises ExpressionError where it, or anything in it, is not on the list.

        ``words`` are what is wrong where it is not of ``kind``.
        """
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpressionError(_("it is nested too deeply"))
        match node:
            case ast.Constant():
                made = self._constant(node.value)
            case ast.Name() | ast.Attribute():
                made = self._named(node)
            case ast.Compare():
                made = self._compared(node)
            case ast.BoolOp():
                node.values = [self.part(value, bool, _CONDITIONS).node for value in node.values]
                made = _Part(bool, node)
            case ast.UnaryOp(op=ast.Not()):
                node.operand = self.part(node.operand, bool, _CONDITIONS).node
                made = _Part(bool, node)
            case ast.UnaryOp(op=ast.USub()):
                number = self.part(node.operand, int, _NUMBERS)
                node.operand = number.node
                made = _Part(int, node, number.constant)
            case ast.BinOp():
                made = self._arithmetic(node)
            case ast.IfExp():
                made = self._either(node)
            case _:
                raise _refused(node)
        self.depth -= 1
        if kind is not None and made.kind is not kind:
            raise ExpressionError(_(words))
        return made

    def _either(self, node: ast.IfExp) -> _Part:
        whole, kind = node, None
        while True:  # along the chain of `else`, as a person reads it
            node.test = self.part(node.test, bool, _CONDITIONS).node
            this = self.part(node.body, kind, _ONE_TYPE)
            kind, node.body = this.kind, this.node
            if not isinstance(node.orelse, ast.IfExp):
                break
            node = node.orelse
        node.orelse = self.part(node.orelse, kind, _ONE_TYPE).node
        return _Part(kind, whole)

    def _constant(self, value: Any) -> _Part:
        if value is None:
            raise ExpressionError(_("“None” is refused: an unknown fact is never compared; list it in `needs`"))
        kind = _KINDS.get(type(value))
        if kind is None:
            raise _refused(ast.Constant(value))
        if isinstance(value, int | float) and value and not 1 / _LARGEST < abs(value) < _LARGEST:
            raise ExpressionError(_("a number is beyond all measure"))
        if not isinstance(value, float):
            return _Part(kind, ast.Constant(value, **_PLACE), constant=True)
        name = repr(value)
        self.names[name] = exact(value)
        return _Part(kind, ast.Name(name, ast.Load(), **_PLACE), constant=True)

    def _named(self, node: ast.expr) -> _Part:
        names: list[str] = []
        front = node
        while isinstance(front, ast.Attribute):
            names.append(front.attr)
            front = front.value
        if not isinstance(front, ast.Name):
            raise _refused(node)
        name = ".".join((front.id, *reversed(names)))
        if name.startswith(LIMIT):
            key = name.removeprefix(LIMIT)
            if key not in self.limits:
                raise ExpressionError(no_limit(key))
            self.used_limits.add(key)
            return self._constant(self.limits[key])
        known = FACTS.get(name)
        if known is None or name.partition(".")[0] not in self.parts:
            raise ExpressionError(no_fact(name))
        if known.optional and name not in self.needs:
            raise ExpressionError(_("“{name}” may be unknown and is not listed in `needs`", name=name))
        self.facts.add(name)
        fact: ast.expr = ast.Subscript(_FACTS, ast.Constant(name, **_PLACE), ast.Load(), **_PLACE)
        if known.kind is float:
            fact = ast.Call(ast.Name("exact", ast.Load(), **_PLACE), [fact], [], **_PLACE)
        return _Part(_KINDS[known.kind], fact)

    def _compared(self, node: ast.Compare) -> _Part:
        if len(node.ops) != 1:
            raise ExpressionError(_("compare two values at a time, and join comparisons with `and`"))
        left, operation, right = self.part(node.left), node.ops[0], node.comparators[0]
        node.left = left.node
        if isinstance(operation, ast.In | ast.NotIn):
            items = [self.part(item, left.kind, _ONE_TYPE) for item in getattr(right, "elts", ())]
            if not isinstance(right, ast.List | ast.Tuple) or not all(item.constant for item in items):
                raise ExpressionError(_("`in` takes a list of numbers, texts and limits: [1, 2]"))
            right.elts = [item.node for item in items]
            return _Part(bool, node)
        if not isinstance(operation, _EQUAL + _ORDER):
            raise _refused(node)
        other = self.part(right, left.kind, _ONE_TYPE)
        if isinstance(operation, _ORDER) and left.kind is not int:
            raise ExpressionError(_(_NUMBERS))
        node.comparators = [other.node]
        return _Part(bool, node)

    def _arithmetic(self, node: ast.BinOp) -> _Part:
        if not isinstance(node.op, _SUMS):
            raise _refused(node)
        left, right = self.part(node.left, int, _NUMBERS), self.part(node.right, int, _NUMBERS)
        node.left, node.right = left.node, right.node
        # A divisor that needs no facts may still be a sum of numbers: it is worked out to see whether it is 0.
        if isinstance(node.op, _DIVIDE) and not (right.constant and _worked_out(right.node, self.names)):
            raise ExpressionError(_("only a number or a limit may stand behind `/`, `//` and `%`, and it may not be 0"))
        if isinstance(node.op, ast.Div):  # two whole numbers give a fraction
            node.left = ast.Call(ast.Name("Fraction", ast.Load(), **_PLACE), [left.node], [], **_PLACE)
        return _Part(int, node, left.constant and right.constant)


def no_limit(key: str) -> str:
    return _("there is no limit “{key}” in limits.toml", key=key)


def no_fact(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - for rules with a mistake alone

    near = [one for one in get_close_matches(name, FACTS, n=1) if one != name]
    hint = ". " + _("Did you mean {word}?", word=near[0]) if near else ""
    return _("“{name}” is not a fact of this scope", name=name) + hint


def _refused(node: ast.expr) -> ExpressionError:
    return ExpressionError(
        _(
            "“{node}” is refused: a rule knows facts, limits, numbers, texts, True, False, and "
            "or not, == != < <= > >=, in [...], + - * / // %, `a if c else b`",
            node=ast.unparse(node)[:40],
        )
    )
