"""The small changes that a test should notice: which there are in a module, and how each is made in its tree.

Left out is what nobody can notice or what is told to people: docstrings, texts, annotations, decorators, `__repr__`,
`__slots__`, code for the type checker, assertions and the words of an error.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# What a comparison becomes: the next bound, where there is one, and the opposite.
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Whether lengths are compared or a cache is bounded is no behaviour of the product.
SILENT_KEYWORDS = {"strict", "maxsize", "encoding", "repr"}
SILENT_NAMES = {"__slots__", "__all__", "__repr__"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: the line, the outermost function it is in ("" outside of all), both texts, and what makes it."""

    line: int
    function: str
    before: str
    after: str
    apply: Callable[[], None]


class _Finder:
    """Walks a tree and gathers its changes, with the names of the classes and of the function it is in."""

    def __init__(self) -> None:
        self.found: list[Change] = []
        self._classes: list[str] = []
        self._function = ""

    def walk(self, node: ast.AST) -> None:
        if _is_silent(node):
            return
        match node:
            case ast.ClassDef():
                self._classes.append(node.name)
                for inner in node.body:
                    self.walk(inner)
                self._classes.pop()
            case ast.FunctionDef() if not self._function:
                self._function = ".".join((*self._classes, node.name))
                self._walk_function(node)
                self._function = ""
            case ast.FunctionDef():
                self._walk_function(node)
            case ast.AnnAssign():
                if node.value is not None:
                    self._look_at(node, "value", node.value)
            case _:
                self._change_itself(node)
                for field, value in ast.iter_fields(node):
                    self._walk_field(node, field, value)

    def _walk_function(self, node: ast.FunctionDef) -> None:
        self._walk_field(node.args, "defaults", node.args.defaults)
        self._walk_field(node.args, "kw_defaults", node.args.kw_defaults)
        self._walk_field(node, "body", node.body)

    def _walk_field(self, node: ast.AST, field: str, value: object) -> None:
        for index, inner in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(inner, ast.AST):
                self._look_at(node, field, inner, index if isinstance(value, list) else None)

    def _look_at(self, parent: ast.AST, field: str, node: ast.AST, index: int | None = None) -> None:
        """Gather the changes that put another node in the place of this one, then look inside."""
        if isinstance(node, ast.expr) and not _is_silent(node):
            is_question = (field == "test" and not isinstance(parent, ast.While | ast.Assert)) or field == "ifs"
            for other in _instead(node, is_question=is_question):
                self._replace(parent, field, index, node, other)
        self.walk(node)

    def _change_itself(self, node: ast.AST) -> None:
        match node:
            case ast.Compare():
                # Whether a measured or estimated value may be equal to a bound makes no difference that shows.
                measured = any(_is_measured(part) for part in (node.left, *node.comparators))
                for index, operator in enumerate(node.ops):
                    for other in COMPARISONS[type(operator)][-1 if measured else 0 :]:
                        self._replace(node, "ops", index, node, other())
            case ast.BinOp() | ast.AugAssign():
                other_way = _other_arithmetic(node, at_module_level=not self._function)
                if other_way is not None:
                    self._replace(node, "op", None, node, other_way)
            case ast.BoolOp():
                self._replace(node, "op", None, node, ast.Or() if isinstance(node.op, ast.And) else ast.And())
            case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
                self._replace(node, "value", None, node, ast.Constant(None))
            case ast.Call():
                self._change_call(node)

    def _change_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in SWAPPED_CALLS:
            self._replace(node, "func", None, node, ast.Name(SWAPPED_CALLS[node.func.id], ast.Load()))
        for index, keyword in enumerate(node.keywords):
            if keyword.arg not in SILENT_KEYWORDS:
                self._replace(node, "keywords", index, keyword, None)

    def _replace(self, parent: ast.AST, field: str, index: int | None, told: ast.AST, other: ast.AST | None) -> None:
        """Note that ``other`` can stand in a field of ``parent`` (None: nothing); told is the node around it."""
        old = getattr(parent, field)

        def put(value: object) -> None:
            if index is None:
                setattr(parent, field, value)
            else:
                place = old.copy()
                place[index : index + 1] = [] if value is None else [value]
                setattr(parent, field, place)

        before = ast.unparse(told)
        put(other)
        after = ast.unparse(told if told is parent else other) if other is not None else "(left out)"
        setattr(parent, field, old)
        if other is not None:
            ast.copy_location(other, told)
        line = getattr(told, "lineno", 0)
        self.found.append(
            Change(line=line, function=self._function, before=before, after=after, apply=lambda: put(other))
        )


def _instead(node: ast.expr, *, is_question: bool) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Compare():
            return
        case _ if is_question:
            yield ast.UnaryOp(ast.Not(), node)


def _other_arithmetic(node: ast.BinOp | ast.AugAssign, *, at_module_level: bool) -> ast.operator | None:
    parts = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    if any(_is_text(part) for part in parts) or (at_module_level and isinstance(node.op, ast.BitOr)):
        return None  # texts are not told apart, and at the level of a module types are united by “|”
    other = ARITHMETIC.get(type(node.op))
    return None if other is None else other()


def _is_silent(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name in SILENT_NAMES
        case (
            ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.If(body=[ast.Expr(value=ast.Yield(value=None))], orelse=[])
        ):
            return True  # a bare yield only lets others work in between
        case ast.keyword(arg=name):
            return name in SILENT_KEYWORDS
        case ast.Call(func=ast.Name(id=name)):
            return name in {"cast", "NewType", "TypeVar"}
    return False


def _is_measured(node: ast.expr) -> bool:
    """Tell whether a value is a fraction: a float, a quotient, a bound of an estimate."""
    for part in ast.walk(node):
        match part:
            case ast.Constant(value=float()) | ast.BinOp(op=ast.Div()) | ast.Attribute(attr="low" | "typical" | "high"):
                return True
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_nothing(node: ast.expr) -> bool:
    """Tell whether None in the place of a value is no change: for False it is none that shows but to mypy."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def changes(tree: ast.Module) -> list[Change]:
    """Return the changes that can be made in a module, in the order of its lines; each alters ``tree`` when applied."""
    finder = _Finder()
    finder.walk(tree)
    return sorted(finder.found, key=lambda change: (change.line, change.before, change.after))
