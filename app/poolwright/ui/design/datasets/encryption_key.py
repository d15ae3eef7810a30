"""Asks for the key of a dataset that is to be encrypted, and says what must be kept for ever."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_values import value_problem
from poolwright.domain.design import Design, Setting
from poolwright.domain.encryption import encryption_problems
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import full_name
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone

Settings = tuple[Setting, ...]


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
        self.form = QComboBox(self)
        self.form.setAccessibleName(tell("Key"))
        for title, form in (
            (tell("Passphrase"), "passphrase"),
            (tell("Raw key, 32 bytes in a file"), "raw"),
            (tell("Hex key, 64 digits"), "hex"),
        ):
            self.form.addItem(title, form)
        self.file = QLineEdit(self)
        self.file.setAccessibleName(tell("File that holds it"))
        self.file.setPlaceholderText(tell("empty: typed at each start"))
        self._proposed = f"/etc/zfs/keys/{where.replace('/', '-')}.key"
        fields = QFormLayout()
        for field in (self.form, self.file):
            fields.addRow(field.accessibleName(), field)
        self.told = ToneLabel("", Tone.BLOCK, self)
        self.told.setAccessibleName(tell("Why this cannot be"))
        self.kept = ToneLabel("", Tone.WARN, self)
        self.kept.setAccessibleName(tell("What must be kept"))
        self.kept.setMinimumHeight(8 * GRID)
        self.kept.setMinimumWidth(60 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        column = lay.column(fields, of=self, gap=2 * GRID, around=2 * GRID)
        for widget in (self.kept, self.told, self.buttons):
            column.addWidget(widget)
        self.form.currentIndexChanged.connect(self._on_form)
        self.file.textChanged.connect(self._tell)
        self._tell()

    def settings(self) -> Settings:
        """Return what is asked for."""
        path = self._path()
        location = f"file://{path}" if path else "prompt"
        values = (("encryption", self._cipher), ("keyformat", self.form.currentData()), ("keylocation", location))
        return tuple(Setting(name=name, value=str(value)) for name, value in values)

    def _path(self) -> str:
        return self.file.text().strip().removeprefix("file://")

    def _on_form(self) -> None:
        if self.form.currentData() == "raw" and not self.file.text():
            self.file.setText(self._proposed)
        self._tell()

    def _tell(self) -> None:
        path = self._path()
        kept = (
            tell("Keep copies of {path} in two places off this machine. You make it; the script looks at it.")
            if path.startswith("/")
            else tell("Keep it where it outlives this machine and whoever types it.")
        )
        lost = tell("Without the key nobody reads the data again: there is no other way in, and nothing resets it.")
        self.kept.setText(f"{lost} {kept.format(path=path)}")
        problem = self._problem_of(self.settings())
        if path and not path.startswith("/"):
            problem = tell("Write the whole path of the file, from / on, as it is on the machine of the pool.")
        self.told.setText(problem)
        self.told.setVisible(bool(problem))
        column = self.layout()
        if column is not None:  # the texts need room of their own length
            column.activate()
            self.resize(self.width(), max(self.height(), column.totalHeightForWidth(self.width())))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)

    def _take(self) -> None:
        settings = self.settings()
        self.accept()
        self.chosen.emit(settings)
