"""Works out the tables of the rule engine's parser: `python -m tests.rules.parse_tables_made` writes their file anew.

It has to run in a process of its own, in which nobody offered the tables to the engine.
"""

import json
import sys

from rule_engine._vendor.ply import yacc
from rule_engine.engine.rule import Rule

from poolwright.paths import resources_folder


def text() -> str:
    """Return the tables as JSON, one state a line."""
    parser = Rule.parser
    made = parser._parser
    grammar = yacc.ParserReflect({name: getattr(parser, name) for name in dir(parser)}, log=yacc.NullLogger())
    grammar.get_all()
    found = {
        "version": yacc.__tabversion__,
        "method": "LALR",
        "signature": grammar.signature(),
        "action": made.action,
        "goto": made.goto,
        "productions": [[p.str, p.name, p.len, p.func] for p in made.productions],
    }
    return "{\n" + ",\n".join(f"{_json(name)}: {_lines(value)}" for name, value in found.items()) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f'"{key}": {_json(part)}' for key, part in value.items()) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(_json(part) for part in value) + "\n]"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(text())
    else:
        (resources_folder() / "parse_tables.json").write_text(text(), encoding="utf-8")
