"""Asks for the key of a dataset that is to be encrypted, and says what must be kept for ever."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_values import value_problem
from poolwright.domain.design import Design, Setting
from poolwright.domain.encryption import encryption_problems
from poolwright.domain.errors import UserError
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import full_name
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Form, Remark, Typed
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone

Settings = tuple[Setting, ...]
_WIDTH = 28 * GRID


def ask_key(pool: Design, name: str, cipher: str, parent: QWidget) -> "KeyDialog":
    """Open a dialog that asks for the key of the dataset ``name`` of the pool; ``cipher`` is its encryption."""
    where = full_name(pool.pool_name, name)
    dialog = KeyDialog(where, cipher, partial(_problem, pool, name), parent)
    dialog.open()
    return dialog


def _problem(pool: Design, name: str, settings: Settings) -> str:
    volume = any(d.name == name and d.volume_bytes is not None for d in pool.datasets)
    values = (value_problem(s.name, s.value, pool.version, volume=volume) for s in settings)
    trial = replace(pool, datasets=edits.set_properties(pool.datasets, name, settings))
    return next((text for text in (*values, *encryption_problems(trial)) if text), "")


def _path(text: str) -> str:
    path = text.strip().removeprefix("file://")
    if not path.startswith("/"):
        raise UserError(tell("Write the whole path of the file, from / on, as it is on the machine of the pool."))
    return path


class KeyDialog(QDialog):
    """``chosen`` carries the settings of encryption, key format and key location, once they are ones OpenZFS takes.

    ``problem_of`` tells why settings cannot be, empty where they can.
    """

    chosen = Signal(object)

    def __init__(self, where: str, cipher: str, problem_of: Callable[[Settings], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._cipher, self._problem_of = cipher, problem_of
        self.setWindowTitle(tell("Key of {name}", name=where))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._proposed = f"/etc/zfs/keys/{where.replace('/', '-')}.key"
        formats = (
            ("passphrase", tell("Passphrase")),
            ("raw", tell("Raw key, 32 bytes in a file")),
            ("hex", tell("Hex key, 64 digits")),
        )
        self._empty = tell("empty: typed at each start")
        self.form = Form(self)
        self.form.add(
            Field("format", tell("Key"), formats, width=_WIDTH),
            Field("file", tell("File that holds it"), Typed(_path), empty=self._empty, longest=300, width=_WIDTH),
        )
        self.told = ToneLabel("", Tone.BLOCK, self)
        self.told.setAccessibleName(tell("Why this cannot be"))
        self.kept = ToneLabel("", Tone.WARN, self)
        self.kept.setAccessibleName(tell("What must be kept"))
        self.kept.setMinimumHeight(8 * GRID)
        self.kept.setMinimumWidth(84 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        column = lay.column(self.form, of=self, gap=2 * GRID, around=2 * GRID)
        for widget in (self.kept, self.told, self.buttons):
            column.addWidget(widget)
        self.form.edited.connect(self._on_edited)
        self._tell()

    def settings(self) -> Settings:
        path = self.form.value("file")
        location = f"file://{path}" if path else "prompt"
        values = (("encryption", self._cipher), ("keyformat", self.form.value("format")), ("keylocation", location))
        return tuple(Setting(name=name, value=str(value)) for name, value in values)

    def _on_edited(self, key: str, value: object) -> None:
        file = self.form.editor("file")
        if key == "format" and value == "raw" and self.form.value("file") is None and not self.form.unread():
            file.show_value(self._proposed, Remark(text=""), self._empty)
        self._tell()

    def _tell(self) -> None:
        path = self.form.value("file")
        kept = (
            tell("Keep copies of {path} in two places off this machine. You make it; the script looks at it.")
            if path
            else tell("Keep it where it outlives this machine and whoever types it.")
        )
        lost = tell("Without the key nobody reads the data again: there is no other way in, and nothing resets it.")
        self.kept.setText(f"{lost} {kept.format(path=path)}")
        problem = self._problem_of(self.settings())
        self.told.setText(problem)
        self.told.setVisible(bool(problem))
        column = self.layout()
        if column is not None:  # the texts need room of their own length
            column.activate()
            self.resize(self.width(), max(self.height(), column.totalHeightForWidth(self.width())))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem and not self.form.unread())

    def _take(self) -> None:
        settings = self.settings()
        self.accept()
        self.chosen.emit(settings)
