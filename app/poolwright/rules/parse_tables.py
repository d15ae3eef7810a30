"""The tables of the rule engine's parser, worked out beforehand: working them out takes a quarter of a second."""

import json
import sys
from types import ModuleType

# Where the engine's parser looks for tables before it works them out; it takes only those of its very grammar.
_LOOKED_FOR = "rule_engine.parser.parsetab"


def offer_parse_tables(text: str) -> None:
    """Offer the tables in ``text`` (JSON, as `tests.rules.parse_tables_made` writes it) to the engine's import."""
    if _LOOKED_FOR in sys.modules or "rule_engine" in sys.modules:
        return
    found = json.loads(text)
    made = ModuleType(_LOOKED_FOR, "Tables of the parser, from a file.")
    vars(made).update(
        _tabversion=found["version"],
        _lr_method=found["method"],
        _lr_signature=found["signature"],
        _lr_action={int(state): moves for state, moves in found["action"].items()},
        _lr_goto={int(state): moves for state, moves in found["goto"].items()},
        _lr_productions=[(*production, "", 0) for production in found["productions"]],
    )
    sys.modules[_LOOKED_FOR] = made
