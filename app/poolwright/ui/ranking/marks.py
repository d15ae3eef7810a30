"""How cells of the table of layouts are marked: the best of a column, and layouts below a floor with the reason."""

from PySide6.QtCore import QCoreApplication, Qt

from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import Tone, text_font, theme


def mark_of_below(words: str, why: str, role: int) -> object:
    """Return what marks the layout ``words`` that is below a floor: an icon, and why in words."""
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon("warn", Tone.WARN)
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.MUTED)
    told = _tr("Not for a first choice: it {why}", why=why)
    if role == Qt.ItemDataRole.ToolTipRole:
        return f"{words}\n{told}"
    return f"{words}. {told}" if role == Qt.ItemDataRole.AccessibleTextRole else None


def mark_of_best(text: str, role: int) -> object:
    """Return what marks the cell ``text`` as the best of its column."""
    if role == Qt.ItemDataRole.FontRole:
        return text_font(semibold=True)
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.OK)
    if role == Qt.ItemDataRole.ToolTipRole:
        return _tr("Best of this column")
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return _tr("{value}, best of this column", value=text)
    return None


def _tr(text: str, **values: object) -> str:
    return QCoreApplication.translate("candidates", text).format(**values)
