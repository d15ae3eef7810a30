"""The shipped tables, as text."""

from pathlib import Path

TABLES = Path(__file__).parents[2] / "rules" / "tables"


def table(name: str) -> str:
    return (TABLES / name).read_text(encoding="utf-8")
