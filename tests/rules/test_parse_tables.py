"""The tables of the engine's parser that lie beside the program are those that the engine would work out."""

import subprocess
import sys
from pathlib import Path

from poolwright.paths import resources_folder
from poolwright.rule_library import PARSE_TABLES

_TIMED = """
from poolwright.rule_library import prepare_engine
prepare_engine()
from rule_engine.engine.rule import Rule
print(type(Rule.parser._parser.productions[1]).__name__)
"""


def printed(*words: str) -> str:
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True, cwd=root).stdout


def test_that_the_tables_are_those_of_the_engine() -> None:
    stored = (resources_folder() / PARSE_TABLES).read_text(encoding="utf-8")
    assert stored == printed("-m", "tests.rules.parse_tables_made", "--print")


def test_that_the_engine_reads_the_tables_instead_of_working_them_out() -> None:
    assert printed("-c", _TIMED) == "MiniProduction\n"
