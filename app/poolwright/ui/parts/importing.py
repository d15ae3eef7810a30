"""Large packages, taken in piece by piece, so that the window answers between the pieces.

The packages that draw plots import all their parts in one go, which takes most of a second. Here a package is executed
statement by statement, just as the import system executes it whole, and what its statements import comes in the same
way first. Between two steps no half-made module is in sight: it is put aside, and who imports it meanwhile gets it
whole, at the price of waiting for the rest. Where there is no source (as in frozen programs) a module comes whole.

Our own modules are small: each comes whole, after those that it imports.
"""

import __future__

import ast
import importlib
import sys
from collections.abc import Generator, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, module_from_spec, resolve_name
from types import CodeType, ModuleType
from typing import TypeVar

from poolwright.domain.steps import at_once

T = TypeVar("T")
Steps = Generator[None, None, None]

# Executed in pieces are the packages of these, and other modules that import long chains of modules.
_DIVIDED = ("numpy", "pyqtgraph")
_OURS = "poolwright"
_LONG_CHAINS = frozenset(
    {
        "numpy.__config__",
        "numpy.lib._arraypad_impl",
        "numpy.lib._index_tricks_impl",
        "numpy.matrixlib.defmatrix",
        "numpy.linalg._linalg",
        "pyqtgraph.graphicsItems.ColorBarItem",
        "pyqtgraph.graphicsItems.InfiniteLine",
        "pyqtgraph.graphicsItems.LinearRegionItem",
        "pyqtgraph.graphicsItems.PlotItem.PlotItem",
        "pyqtgraph.widgets.ColorMapWidget",
    }
)


def import_in_steps(name: str) -> Steps:
    """Import a module, yielding after every few milliseconds of it. Raises what importing it raises.

    Who asks for a module that is under way goes on with the same import, wherever its last step was taken.
    """
    while name not in sys.modules or name in _under_way:
        under_way = _under_way.get(name)
        if under_way is None:
            under_way = _under_way[name] = _Import(name)
        under_way.step()
        yield


def after_importing(name: str, work: Generator[float | None, None, T]) -> Generator[float | None, None, T]:
    """Do ``work`` as soon as the module is there; yield and return what it does."""
    yield from import_in_steps(name)
    return (yield from work)


class _Import(MetaPathFinder):
    """One import that is under way; between its steps a finder for what it has put aside."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work = self._module(name)
        self._half_made: dict[str, ModuleType] = {}
        self._seen = {name}  # modules of ours whose imports were looked at
        sys.meta_path.insert(0, self)

    def step(self) -> None:
        """Take one step. Raises what the import raises, and then gives it up."""
        sys.modules.update(self._half_made)
        try:
            next(self._work)
        except StopIteration:
            self._end()
        except BaseException:
            self._put_aside()
            self._end()
            raise
        else:
            self._put_aside()

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Finish the import where somebody else needs a module that was put aside."""
        if fullname not in self._half_made or fullname in sys.modules:
            return None
        made = self._half_made[fullname]
        sys.modules.update(self._half_made)
        try:
            at_once(self._work)
        except BaseException:
            self._put_aside()
            raise
        finally:
            self._end()
        return ModuleSpec(fullname, _AsItIs(made), origin=made.__file__, is_package=hasattr(made, "__path__"))

    def _put_aside(self) -> None:
        for name in self._half_made:
            sys.modules.pop(name, None)

    def _end(self) -> None:
        self._work.close()
        self._half_made = {}
        sys.meta_path.remove(self)
        del _under_way[self._name]

    def _module(self, name: str) -> Steps:
        parent, _, last = name.rpartition(".")
        if parent:
            yield from self._module(parent)
        for other in tuple(_under_way.values()):
            while other is not self and name in other._half_made:
                other.step()
                yield
        if name in sys.modules:
            return
        spec = find_spec(name)
        if spec is None or not _is_divided(spec):
            for part in _imported_by_ours(spec):
                if part not in self._seen:
                    self._seen.add(part)
                    yield from self._ahead(part)
            importlib.import_module(name)
            yield
            return
        made = module_from_spec(spec)
        self._half_made[name] = sys.modules[name] = made
        yield from self._execute(made, spec)
        del self._half_made[name]
        if parent:
            setattr(sys.modules[parent], last, made)
        yield

    def _execute(self, made: ModuleType, spec: ModuleSpec) -> Steps:
        assert isinstance(spec.loader, SourceFileLoader)
        tree = ast.parse(spec.loader.get_data(str(spec.origin)), str(spec.origin))
        made.__doc__ = ast.get_docstring(tree, clean=False)
        flags = _future_flags(tree.body)
        yield
        yield from self._run(tree.body, made, flags)

    def _run(self, statements: Sequence[ast.stmt], made: ModuleType, flags: int) -> Steps:
        file = str(made.__file__)
        for statement in statements:
            if isinstance(statement, ast.If):
                test = compile(ast.Expression(statement.test), file, "eval", flags, dont_inherit=True)
                holds = eval(test, made.__dict__)  # noqa: S307 - the package's own code, as its import would run it
                yield from self._run(statement.body if holds else statement.orelse, made, flags)
                continue
            for name, parts in _imported(statement, str(made.__package__)):
                yield from self._ahead(name)
                for part in parts:
                    if name in sys.modules and not hasattr(sys.modules[name], part):
                        yield from self._ahead(f"{name}.{part}")
            piece: CodeType = compile(ast.Module([statement], []), file, "exec", flags, dont_inherit=True)
            exec(piece, made.__dict__)  # noqa: S102 - likewise
            yield

    def _ahead(self, name: str) -> Steps:
        """Import what a statement is about to import; what is not there is for the statement to complain of."""
        try:
            yield from self._module(name)
        except ImportError:
            yield


class _AsItIs(Loader):
    """Hands out a module that was made already."""

    def __init__(self, made: ModuleType) -> None:
        self._made = made

    def create_module(self, _spec: ModuleSpec, /) -> ModuleType:
        return self._made

    def exec_module(self, _module: ModuleType, /) -> None:
        """Leave the module as it is."""


def _is_divided(spec: ModuleSpec) -> bool:
    own = spec.name.partition(".")[0] in _DIVIDED
    large = spec.submodule_search_locations is not None or spec.name in _LONG_CHAINS
    return own and large and isinstance(spec.loader, SourceFileLoader)


def _imported_by_ours(spec: ModuleSpec | None) -> tuple[str, ...]:
    """Return the modules that a module of ours names in its imports; nothing for others."""
    if spec is None or spec.name.partition(".")[0] != _OURS or not isinstance(spec.loader, SourceFileLoader):
        return ()
    code = spec.loader.get_code(spec.name)
    return tuple(name for name in code.co_names if name.partition(".")[0] in (_OURS, *_DIVIDED)) if code else ()


def _imported(statement: ast.stmt, package: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the modules of the divided packages that a statement imports, and what it takes out of each."""
    for node in (statement, *(statement.body if isinstance(statement, ast.Try) else ())):
        found: list[tuple[str, tuple[str, ...]]] = []
        if isinstance(node, ast.Import):
            found = [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            name = resolve_name("." * node.level + (node.module or ""), package) if node.level else str(node.module)
            found = [(name, tuple(alias.name for alias in node.names if alias.name != "*"))]
        yield from ((name, parts) for name, parts in found if name.partition(".")[0] in _DIVIDED)


def _future_flags(statements: Sequence[ast.stmt]) -> int:
    flags = 0
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags


_under_way: dict[str, _Import] = {}
