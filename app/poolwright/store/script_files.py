"""The guarded script on disk, with the advice for its host in a file beside it."""

from pathlib import Path

from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, write_text


def advice_path(script: Path) -> Path:
    """Return where the advice of a script is written: ``create-tank.sh`` has ``create-tank.advice.txt``."""
    return script.with_suffix(".advice.txt")


def write_script(script: Path, text: str, advice: str | None) -> Path | None:
    """Write a script, and its advice beside it; return the path of the advice, None where there is none.

    Raises as `write_text`.
    """
    write_text(script, text, mode=SCRIPT_MODE)
    if advice is None:
        return None
    write_text(advice_path(script), advice, mode=PLAIN_MODE)
    return advice_path(script)
