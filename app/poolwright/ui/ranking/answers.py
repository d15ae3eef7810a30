"""The names of the answers side by side, as a person reads them."""

from poolwright.design.candidate import AnswerName
from poolwright.texts import tell


def answer_title(name: AnswerName) -> str:
    return {
        AnswerName.BALANCED: tell("Balanced"),
        AnswerName.SPACE: tell("More space"),
        AnswerName.PROTECTION: tell("More protection"),
        AnswerName.FASTEST: tell("Fastest"),
        AnswerName.CHEAPEST: tell("Cheapest"),
        AnswerName.FEWEST: tell("Fewest disks"),
        AnswerName.WHOLE: tell("Whole disks"),
        AnswerName.ONE_POOL: tell("One pool"),
    }[name]
