"""What all datasets of a pool take together, how full it is, and when 80 % is reached."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_values import value_problem
from poolwright.domain.design import Design, Setting
from poolwright.domain.encryption import encryption_problems
from poolwright.domain.errors import UserError
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.predict.space import FillForecast, Growth, PoolSpace
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import band_words, full_name
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import OriginLine
from poolwright.ui.parts.form import Field, Form, Remark, Typed
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import month
from poolwright.ui.parts.theme import GRID, Tone

_WIDEST = 54 * GRID


class SpaceSummary(QWidget):
    """Four lines; each unfolds where its number comes from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.used = OriginLine(tell("All take"), self)
        self.fill = OriginLine(tell("Filled"), self)
        self.full = OriginLine(tell("80 % is reached"), self)
        self.special = OriginLine(tell("Special vdevs"), self)
        grid = lay.grid(of=self, gap=(2 * GRID, 0))
        for number, line in enumerate((self.used, self.fill, self.full, self.special)):
            line.setMaximumWidth(_WIDEST)
            grid.addWidget(line, number // 2, number % 2)
            grid.setColumnStretch(number % 2, 10)
        grid.setColumnStretch(2, 1)

    def show_space(self, space: PoolSpace | None, growth_percent: float | None, problem: str) -> None:
        """Show the sum; without any ``problem`` says why there is none."""
        unknown = tell("unknown")
        if space is None:
            for line in (self.used, self.fill, self.full):
                line.show_value(unknown, problem)
            self.special.hide()
            return
        least = tell("at least {size}") if space.uncounted else "{size}"
        self.used.show_value(
            least.format(size=binary(round(space.used.typical))),
            " ".join(
                (
                    tell(
                        "{band} of {size} available.", band=band_words(space.used), size=binary(space.available_bytes)
                    ),
                    *self._uncounted(space),
                    str(space.usage.used.origin),
                )
            ),
        )
        fill = space.fill_percent
        full = f"{fill.typical:.1f} %"
        if fill.typical > 100:
            full = tell("{full} (too small)", full=full)
        self.fill.show_value(
            least.format(size=full),
            tell(
                "{low:.1f} to {high:.1f} % of the data vdevs. {left} are left.",
                low=fill.low,
                high=fill.high,
                left=binary(max(0, space.free_bytes)),
            )
            if fill.typical <= 100
            else tell("{size} do not fit.", size=binary(-space.free_bytes)),
        )
        self._show_date(space, growth_percent)
        self._show_special(space)

    def _uncounted(self, space: PoolSpace) -> tuple[str, ...]:
        if not space.uncounted:
            return ()
        names = ", ".join(space.uncounted)
        return (tell("Not counted, for nobody said how much will lie in them: {names}.", names=names),)

    def _show_date(self, space: PoolSpace, growth_percent: float | None) -> None:
        if growth_percent is None:
            why = tell("Say on the workload page how much the data grow in a year, and the date follows.")
            self.full.show_value(tell("unknown"), why)
            return
        fill = space.full_at(Growth(percent=growth_percent), datetime.now().astimezone().date())
        told = tell(
            "{percent} % are {size}. Growth of {growth:g} % a year, a third faster and slower.",
            percent=PLAN_FILL_PERCENT,
            size=binary(fill.level_bytes),
            growth=growth_percent,
        )
        if space.fixed_bytes:
            told = f"{told} {tell('What volumes reserve does not grow.')}"
        self.full.show_value(self._when(fill), f"{self._span(fill)} {told}".strip())

    def _when(self, fill: FillForecast) -> str:
        if fill.reached:
            return tell("at once")
        return tell("not within 200 years") if fill.typical is None else month(fill.typical)

    def _span(self, fill: FillForecast) -> str:
        if fill.reached or fill.typical is None:
            return ""
        latest = tell("later than 200 years") if fill.latest is None else month(fill.latest)
        return tell("{earliest} to {latest}.", earliest=month(fill.earliest or fill.typical), latest=latest)

    def _show_special(self, space: PoolSpace) -> None:
        usage = space.usage
        self.special.setVisible(usage.special_bytes is not None)
        if usage.special_bytes is None:
            return
        value = tell("{used} of {size}", used=binary(round(usage.special.typical)), size=binary(usage.special_bytes))
        if usage.special_overflows:
            value = tell("{value} (too small)", value=value)
        self.special.show_value(
            value,
            tell(
                "Metadata and small blocks: {band}. Small blocks stay off a special vdev that is 75 % full.",
                band=band_words(usage.special),
            ),
        )


# Asks for the key of a dataset that is to be encrypted, and says what must be kept for ever.

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
