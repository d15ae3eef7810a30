"""The names of the answers side by side, as a person reads them."""

from PySide6.QtCore import QCoreApplication

from poolwright.advise.candidate import AnswerName


def answer_title(name: AnswerName) -> str:
    """Return what a named layout is called."""
    return {
        AnswerName.BALANCED: _tr("Balanced"),
        AnswerName.SPACE: _tr("More space"),
        AnswerName.PROTECTION: _tr("More protection"),
        AnswerName.FASTEST: _tr("Fastest"),
        AnswerName.CHEAPEST: _tr("Cheapest"),
        AnswerName.FEWEST: _tr("Fewest disks"),
        AnswerName.WHOLE: _tr("Whole disks"),
    }[name]


def _tr(text: str) -> str:
    return QCoreApplication.translate("alternatives", text)
