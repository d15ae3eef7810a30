"""The workload page: what the pool will hold, how that is shared, one of four goals; what else is known is folded."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from poolwright.design.amounts import parse_count, parse_factor, parse_growth, parse_percent, rate_text, size_text
from poolwright.design.floors import floors_of
from poolwright.design.goals import GOALS, who_set_goal
from poolwright.domain.rates import growth_read, link_read, parse_link_rate, size_read
from poolwright.domain.units import parse_block_size, parse_size
from poolwright.domain.workload import Goal, Sharing
from poolwright.rules.presets import (
    OF_SHARES,
    PRESETS,
    Preset,
    filled_by,
    shared_by,
    usual_goal,
    with_data_toggled,
    with_sharing_toggled,
)
from poolwright.texts import N_, _, capital
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import Chip, ChoiceCard, FoldCard, inert
from poolwright.ui.parts.form import Field, Form, Remark, Typed, short
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import SmallHeading, ToneLabel
from poolwright.ui.state.recommending import request_of

_TILES_A_ROW = 3


class WorkloadPage(Page):
    heading = N_("Workload")
    about = N_("What will the pool hold? Choose one or several.")
    width_limit: ClassVar[int | None] = 1400

    def missing(self) -> str:
        wrong = ", ".join(self._form.unread())
        return _("Not understood, so taken as unknown: {names}.", names=wrong) if wrong else ""

    def build(self) -> None:
        self._inventory = self.session.inventory  # with another, what was not understood belongs to other work
        self._form = Form(self)
        self._form.add(*_details())
        self._form.edited.connect(self._on_edited)
        self._details = FoldCard(_("Details"), self._form, self)
        self._who = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("Who set the goal"))
        self._follow = widgets.button("", self, self._on_follow)
        self._goal, self._named = self.session.workload.goal, False
        self._before: Goal | None = None  # what the goal was before data changed it
        goal = widgets.row((self._who, 1), self._follow)
        self.body.addLayout(self._make_tiles())
        self.body.addLayout(widgets.column(SmallHeading(_("Shared by"), self), self._make_chips(), gap=GRID // 2))
        self.body.addLayout(widgets.column(SmallHeading(_("Goal"), self), self._make_goals(), goal, gap=GRID // 2))
        self.body.addWidget(self._details)
        self.body.addStretch(1)

    def refresh(self) -> None:
        workload, shared = self.session.workload, shared_by(self.session.workload)
        for tile in self._tiles:
            tile.setChecked(tile.preset.key in workload.uses)
        for chip in self._chips:
            chip.setChecked(chip.key in shared)
        for button in self._goals:
            button.setChecked(button.key == workload.goal)
        request, named = request_of(self.session), self.session.work.goal_told
        floors = floors_of(request.workload.goal, request.budget, request.disks) if request else None
        who = who_set_goal(workload, floors, named=named)
        if named or self._named or self.session.inventory is not self._inventory:
            self._before = None
        elif workload.goal is not self._goal:
            self._before = None if workload.goal is self._before else self._goal
        self._goal, self._named = workload.goal, named
        before = capital(_(self._before.value)) if self._before is not None else ""
        self._who.setText(f"{_('Changed from {goal}.', goal=before)} {who}" if before else who)
        self._who.set_tone(Tone.TEXT if before else Tone.MUTED)
        usual = usual_goal(workload) or workload.goal  # data that usually do with less offer it, and never set it
        offer = "" if usual is workload.goal else _("Use {goal}", goal=capital(_(usual.value)))
        self._follow.setText(_("Keep {goal}", goal=before) if before else _("Follow the workload") if named else offer)
        self._follow.setVisible(bool(named or before or offer))
        self._form.show_values(workload, self._remark)
        if self.session.inventory is not self._inventory:
            self._inventory = self.session.inventory
            self._form.show_unread(self.session.work.unread_in("workload"))
        self._details.head.show_words(self._form.words() or _("all unknown"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._built:  # the goal is in sight in a low window too
            for tile in self._tiles:
                tile.be_low(low=self.stands_low)

    def _make_tiles(self) -> Flow:
        flow = Flow(column=22 * GRID, most=_TILES_A_ROW, gap=GRID)
        self._tiles = [PresetTile(p, self) for p in PRESETS if p.key not in OF_SHARES]
        for tile in self._tiles:
            tile.clicked.connect(self._on_tile)
            flow.addWidget(tile)
        return flow

    def _make_chips(self) -> Flow:
        flow = Flow()
        names = {Sharing.SMB: "SMB", Sharing.NFS: "NFS", Sharing.ISCSI: "iSCSI", Sharing.LOCAL: _("Local only")}
        self._chips = [Chip(sharing.value, name, self) for sharing, name in names.items()]
        for chip in self._chips:
            chip.clicked.connect(self._on_chip)
            flow.addWidget(chip)
        return flow

    def _make_goals(self) -> QHBoxLayout:
        looks = ["segment first", *["segment"] * (len(GOALS) - 1)]  # for machines
        self._goals = [
            Chip(f.goal.value, capital(_(f.goal.value)), self, look=look) for f, look in zip(GOALS, looks, strict=True)
        ]
        for button, facts in zip(self._goals, GOALS, strict=True):
            about = f"{_(facts.promise)} {_('Costs: {price}', price=_(facts.price))}"
            button.setToolTip(about)
            button.setAccessibleDescription(about)
            button.clicked.connect(self._on_goal)
        return widgets.row(*((button, 1) for button in self._goals), gap=0)

    def _remark(self, field: Field, _value: object) -> Remark:
        chosen = filled_by(self.session.workload, field.key)
        if chosen is not None:
            text = _("{preset}: {why}.", preset=_(chosen.title), why=chosen.reason(field.key))
            return Remark(text=text.replace("`", ""), tone=Tone.ACCENT, icon="workload")
        inventory = self.session.inventory
        rate = inventory.host.network_bytes_per_second if inventory is not None else None
        if field.key == "network_bytes_per_second" and inventory is not None and rate is not None:
            return Remark(text=_("{machine} has {rate}.", machine=inventory.name, rate=rate_text(rate)))
        return Remark(text=field.help)

    def _on_tile(self) -> None:
        key = widgets.sent(self, PresetTile).preset.key
        self.session.set_workload(with_data_toggled(self.session.workload, key))

    def _on_chip(self) -> None:
        sharing = Sharing(widgets.sent(self, Chip).key)
        self.session.set_workload(with_sharing_toggled(self.session.workload, sharing))
        self.refresh()  # a press that changes nothing leaves the mark

    def _on_goal(self) -> None:
        self.session.set_goal(Goal(widgets.sent(self, Chip).key))

    def _on_follow(self) -> None:
        usual = None if self._named else usual_goal(self.session.workload)
        self.session.set_goal(self._before or usual)
        self.focus_first()  # the button goes

    def _on_edited(self, key: str, value: object) -> None:
        self.session.set_workload(replace(self.session.workload, **{key: value}))  # type: ignore[arg-type]
        self.session.note_unreadable("workload", self._form.unread())
        self.show_missing()


# The details as the form shows them: name, how to read and write each, and what it changes.


def _details() -> tuple[Field, ...]:
    unknown, percent = _("unknown"), Typed(parse_percent, "{:g} %".format)
    block = Typed(parse_block_size, size_text, size_read)
    clients = Typed(partial(parse_count, least=1), str)
    often = Typed(parse_size, size_text, size_read)
    network = Typed(parse_link_rate, rate_text, link_read)
    known = ((None, unknown), (True, _("yes")), (False, _("no")))
    stored = ((False, _("files")), (True, _("volumes (zvols)")))
    fixed = _("The block size of a volume cannot be changed later.")
    return (
        Field("io_size_bytes", _("I/O size"), block, "", unknown),
        Field("sequential_percent", _("Sequential"), percent, "", unknown),
        Field("read_percent", _("Reads"), percent, "", unknown),
        Field("sync_write_percent", _("Sync writes"), percent, _("Only these gain from a log device."), unknown),
        Field("clients", _("Clients"), clients, "", unknown),
        Field("typical_file_bytes", _("File size"), block, "", unknown),
        Field("compressible", _("Compressible"), known),
        Field("duplicate_factor", _("Duplicate factor"), Typed(parse_factor, short), "", unknown),
        Field("working_set_bytes", _("Working set"), often, "", unknown),
        Field("growth_percent", _("Growth a year"), Typed(parse_growth, "{:g} %".format, growth_read), "", unknown),
        Field("network_bytes_per_second", _("Network"), network, "", unknown),
        Field("volumes", _("Stored as"), stored, fixed),
    )


# A kind of data as a tile that is pressed as a whole, with the box of a check box.


class PresetTile(ChoiceCard):
    def __init__(self, preset: Preset, parent: QWidget) -> None:
        super().__init__(_(preset.title), parent)
        self.preset = preset
        self.setCheckable(True)
        self.setAccessibleDescription(_(preset.summary))
        self._mark, self._box = inert(IconLabel("", self, size=3 * GRID)), inert(IconLabel("", self, size=icons.SMALL))
        name = inert(ToneLabel(_(preset.title), Tone.TEXT, self, bold=True))
        self._about = inert(ToneLabel(_(preset.summary), Tone.MUTED, self, small=True))
        words = widgets.column(name, self._about, 1, gap=2)
        top = Qt.AlignmentFlag.AlignTop
        self.be_low(low=False)
        self.body.addLayout(widgets.row((self._mark, 0, top), (words, 1), (self._box, 0, top)))
        self.toggled.connect(self._show_marks)
        self._show_marks(on=False)

    def be_low(self, *, low: bool) -> None:
        """Leave room in a low window for what is below the tiles."""
        for part in (self._mark, self._about):
            part.setVisible(not low)
        self.setMinimumHeight(4 * GRID if low else 8 * GRID)
        widgets.room(self.body, around=GRID if low else GRID + GRID // 2)

    def _show_marks(self, on: bool) -> None:
        tone = Tone.ACCENT if on else Tone.MUTED
        self._mark.show_icon(f"use-{self.preset.key}", tone)
        self._box.show_icon("box-ticked" if on else "box", tone)
