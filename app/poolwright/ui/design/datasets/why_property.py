"""“Why?” of a property: what it does, where its value comes from, and the rule that proposed it."""

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from poolwright.domain.inheritance import Effective
from poolwright.rules.explain import explain_rule
from poolwright.rules.model import RuleBook
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import full_name, property_words, source_words
from poolwright.ui.parts.theme import GRID, mono_font
from poolwright.ui.parts.why import WhyDialog


class PropertyDialog(WhyDialog):
    """Stands beside the window while it is read."""

    def __init__(
        self, effective: Effective, where: str, pool_name: str, rule: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(f"{effective.name}={effective.value}", parent)
        self.add_part(tell("What it does"), property_words(effective.name))
        self.add_part(
            tell("In force"),
            tell(
                "{name}={value} on {where}, {source}",
                name=effective.name,
                value=effective.value,
                where=full_name(pool_name, where),
                source=source_words(effective, pool_name),
            ),
        )
        self.add_part(tell("Why"), effective.reason or self._without_reason(effective))
        self.add_part(tell("OpenZFS's default"), effective.default_value or "")
        if effective.fixed:
            self.add_part(tell("When"), tell("Only when the dataset is made; cannot be changed later."))
        if rule:
            self.add_heading(tell("The rule that proposed it"))
            text = QPlainTextEdit(rule, self)
            text.setReadOnly(True)
            text.setAccessibleName(tell("The rule"))
            text.setFont(mono_font(10.0))
            text.setMinimumHeight(25 * GRID)
            self.body.addWidget(text, 1)
        self.body.addStretch(1)

    def _without_reason(self, effective: Effective) -> str:
        if effective.source.value == "default":
            return tell("Nobody set it here or above, and no rule proposed anything else.")
        return tell("It was set by hand.")


def show_property(
    effective: Effective, where: str, pool_name: str, book: RuleBook | None, parent: QWidget
) -> PropertyDialog:
    """Open “Why?” of a property beside the window."""
    rule = book.rule(effective.rule_id) if book is not None and effective.rule_id is not None else None
    told = "" if rule is None or book is None else explain_rule(rule, book)
    dialog = PropertyDialog(effective, where, pool_name, told, parent)
    dialog.show()
    return dialog
