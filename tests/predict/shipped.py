"""The shipped tables, as text, and layouts as they are written."""

from pathlib import Path

from poolwright.domain.vdev import Layout, parse_layout

TABLES = Path(__file__).parents[2] / "rules" / "tables"


def table(name: str) -> str:
    return (TABLES / name).read_text(encoding="utf-8")


def layout(*specs: str) -> Layout:
    """Return the vdevs of these words: ``4*mirror:2x2TB raidz2:8x6TB``."""
    return parse_layout(specs)
