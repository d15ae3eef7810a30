"""Poolwright: design ZFS pools."""

from poolwright.shipped import read_by

__version__ = "0.1.0"


def _shipped_text(kind: str) -> str:
    from poolwright.paths import rules_folder  # noqa: PLC0415 - of all that is imported only this needs folders

    return (rules_folder() / "data" / f"{kind}.toml").read_text(encoding="utf-8")


read_by(_shipped_text)
