"""What the tables of properties of datasets and of pools have in common: the view, its keys, the buttons below it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableView, QWidget

from poolwright.texts import tell
from poolwright.ui.design.datasets.delegate import ValueDelegate
from poolwright.ui.design.datasets.property_table import PropertyColumn
from poolwright.ui.parts import lay
from poolwright.ui.parts.plain_table import ROW_HEIGHT, plain_table

Slot = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyVerbs:
    """What can be done with the selected property; ``leave`` gives up its own value, in these words and tip."""

    change: Slot
    leave: Slot
    why: Slot
    leave_text: str
    leave_tip: str


def property_view(
    name: str,
    model: QAbstractItemModel,
    delegate: ValueDelegate,
    widths: Mapping[PropertyColumn, tuple[str, int]],
    parent: QWidget,
) -> QTableView:
    """Return the table of properties, its values edited by ``delegate``; ``widths`` are samples and pixels beside."""
    view = plain_table(name, model, parent)
    view.setItemDelegateForColumn(PropertyColumn.VALUE, delegate)
    view.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
    header = view.horizontalHeader()
    header.setStretchLastSection(True)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for column, (sample, more) in widths.items():
        view.setColumnWidth(column, view.fontMetrics().horizontalAdvance(sample) + more)
    view.setMinimumHeight(4 * ROW_HEIGHT)
    return view


def give_keys(view: QTableView, verbs: PropertyVerbs) -> None:
    """Let F2 change the selected property, Delete leave it, Return ask why; the first two in the menu as well."""
    keys = (
        (tell("Change"), Qt.Key.Key_F2, verbs.change),
        (verbs.leave_text, Qt.Key.Key_Delete, verbs.leave),
    )
    for text, key, slot in keys:
        action = QAction(text, view)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        view.addAction(action)
    view.activated.connect(verbs.why)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def property_buttons(verbs: PropertyVerbs, propose: object, parent: QWidget) -> tuple[QPushButton, ...]:
    """Return the buttons: change, leave, why, and what proposes anew (a slot or a signal)."""
    told = (
        (tell("Change"), "rename", verbs.change, tell("Give it another value (F2)")),
        (verbs.leave_text, "undo", verbs.leave, verbs.leave_tip),
        (tell("Why?"), "unknown", verbs.why, tell("Show where the value comes from and the rule behind it (Return)")),
        (tell("Propose"), "recommendation", propose, tell("Set again what the rules propose; what was typed stays")),
    )
    made = []
    for text, icon, pressed, tip in told:
        made.append(lay.button(text, parent, pressed, icon=icon, tip=tip))
    return tuple(made)


def typed_property(text: str) -> tuple[str, str] | None:
    """Return name and value of a property that is written ``name=value``; None for anything else."""
    name, sign, value = (part.strip() for part in text.partition("="))
    return (name, value) if name and sign and value else None
