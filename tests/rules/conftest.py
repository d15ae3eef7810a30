"""What the tests of rules share: the shipped rules, disks and designs to judge."""

import pytest
from tests.rules.machines import load_rule_book

from poolwright import paths
from poolwright.rules.rulebook import RuleBook


@pytest.fixture(scope="session")
def shipped() -> RuleBook:
    """The rules that ship with the program, without those of whoever runs the tests."""
    folder = paths.rules_folder()
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.toml")}
    tables = [path.name for path in (folder / "tables").glob("*.csv")]
    return load_rule_book(files, limits=files.pop("limits.toml"), tables=tables)
