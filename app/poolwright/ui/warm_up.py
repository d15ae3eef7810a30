"""What is fetched once the first page stands: slow imports and the rules, one piece per turn of the event loop."""

import importlib
from collections.abc import Generator

from poolwright.rule_library import load_rules
from poolwright.rules.model import RuleBook

# Parts before the wholes that import them, so that each turn is as short as it can be.
_FOR_RULES = (
    "decimal",
    "dateutil.tz",
    "dateutil.parser",
    "rule_engine.parser.utilities",
    "rule_engine.parser",
    "rule_engine.ast",
    "rule_engine",
)
_FOR_PAGES = ("cattrs", "numpy.lib", "numpy", "pyqtgraph.Qt", "pyqtgraph.functions", "pyqtgraph")


def load_rules_slowly() -> Generator[float, None, RuleBook]:
    """Import what is slow, yielding the share that is done; return the rules. Raises what loading them raises."""
    names = (*_FOR_RULES, *_FOR_PAGES)
    for number, name in enumerate(names, start=1):
        importlib.import_module(name)
        yield number / (len(names) + 1)
    return load_rules()
