"""The workload page: one of four goals, and under it what is known of the I/O, by its data or by hand."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QWidget

from poolwright.design.amounts import parse_count, parse_factor, parse_growth, parse_percent, rate_text, size_text
from poolwright.design.goals import GOALS, GoalFacts, Statement, goal_facts
from poolwright.domain.rates import growth_read, link_read, parse_link_rate, size_read
from poolwright.domain.units import parse_block_size, parse_size
from poolwright.domain.workload import Sharing, Workload
from poolwright.rules.presets import (
    DETAILS,
    PRESETS,
    Preset,
    apply_preset,
    filled_by,
    goal_words,
    preset,
    presets_of,
    usual_goal,
)
from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import Chip, ChoiceCard, inert
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.parts.form import Field, Form, Remark, Typed, short
from poolwright.ui.parts.lay import Heading, ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_PRESET_COLUMNS = 5


class WorkloadPage(Page):
    width_limit: ClassVar[int | None] = 1400

    def title(self) -> str:
        return _("Workload")

    def sentence(self) -> str:
        return _("Choose what the pool is for. What is left empty below is unknown.")

    def missing(self) -> str:
        """Return which details cannot be read."""
        wrong = ", ".join(self._form.unread())
        return _("Not understood, so taken as unknown: {what}.", what=wrong) if wrong else ""

    def build(self) -> None:
        self._inventory = self.session.inventory  # with another, what was not understood belongs to other work
        self.body.addLayout(self._make_goals())
        self.body.addWidget(Heading(_("What will it hold?"), self))
        self.body.addLayout(self._make_presets())
        self.body.addLayout(self._make_suggestion())
        self.body.addWidget(Heading(_("Details"), self))
        self._form = Form(self)
        self._form.add(*_details())
        self._form.edited.connect(self._on_edited)
        self.body.addWidget(self._form)
        self.body.addStretch(1)

    def refresh(self) -> None:
        workload = self.session.workload
        for card in self._cards:
            card.setChecked(card.goal is workload.goal)
        for chip in self._presets.buttons():
            if isinstance(chip, Chip):
                chip.setChecked(chip.key in workload.uses if chip.key else not workload.uses)
        self._show_suggestion(workload)
        self._form.show_values(workload, self._remark)
        if self.session.inventory is not self._inventory:
            self._inventory = self.session.inventory
            self._form.show_unread(self.session.work.unread_in("workload"))

    def _make_goals(self) -> Flow:
        row = Flow(column=21 * GRID, most=len(GOALS))
        self._cards = [GoalCard(facts, self) for facts in GOALS]
        group = QButtonGroup(self)
        for card in self._cards:
            group.addButton(card)
            card.clicked.connect(self._on_goal)
            row.addWidget(card)
        return row

    def _make_presets(self) -> Flow:
        row = Flow(column=19 * GRID, most=_PRESET_COLUMNS)
        self._presets = QButtonGroup(self)
        self._presets.setExclusive(False)
        offered = [(p.key, _(p.title), _(p.summary)) for p in PRESETS]
        offered.append(("", _("No preset"), _("Take back what a preset filled in")))
        for key, title, summary in offered:
            chip = Chip(key, title, _("Preset: {title}", title=title) if key else title, self)
            chip.setToolTip(summary)
            chip.setAccessibleDescription(summary)
            chip.clicked.connect(self._on_preset)
            self._presets.addButton(chip)
            row.addWidget(chip)
        return row

    def _make_suggestion(self) -> QHBoxLayout:
        self._about_preset = lay.named(ToneLabel("", Tone.MUTED, self), _("About the preset"))
        self._take_goal = QPushButton(self)
        self._take_goal.clicked.connect(self._on_take_goal)
        return lay.row((self._about_preset, 1), (self._take_goal, 0, Qt.AlignmentFlag.AlignTop), gap=2 * GRID)

    def _remark(self, field: Field, _value: object) -> Remark:
        chosen = filled_by(self.session.workload, field.key)
        if chosen is not None:
            text = _("{preset}: {why}.", preset=_(chosen.title), why=chosen.reason(field.key))
            return Remark(text=text, tone=Tone.ACCENT, icon="workload")
        inventory = self.session.inventory
        rate = inventory.host.network_bytes_per_second if inventory is not None else None
        if field.key == "network_bytes_per_second" and inventory is not None and rate is not None:
            text = _("{machine} has {rate}. {help}", machine=inventory.name, rate=rate_text(rate), help=field.help)
            return Remark(text=text)
        return Remark(text=field.help)

    def _show_suggestion(self, workload: Workload) -> None:
        goal = usual_goal(workload)
        self._take_goal.setVisible(goal is not None and goal is not workload.goal)
        if goal is not None:
            self._take_goal.setText(_("Use the goal {goal}", goal=_(goal_facts(goal).title)))
        about = _about(presets_of(workload), workload)
        self._about_preset.setText(f"{about} {goal_words(workload, told=self.session.work.goal_told)}".rstrip())

    def _on_goal(self) -> None:
        sender = self.sender()
        if isinstance(sender, GoalCard):
            self.session.set_goal(sender.goal)

    def _on_preset(self) -> None:
        sender = self.sender()
        if isinstance(sender, Chip):
            workload = self.session.workload
            others = [key for key in workload.uses if key != sender.key]
            keys = [] if not sender.key else [*others, sender.key] if sender.key not in workload.uses else others
            self.session.set_workload(apply_preset(workload, *map(preset, keys)))
            self.refresh()  # a press that changes nothing leaves the mark

    def _on_take_goal(self) -> None:
        goal = usual_goal(self.session.workload)
        if goal is not None:
            self.session.set_goal(goal)

    def _on_edited(self, key: str, value: object) -> None:
        self.session.set_workload(replace(self.session.workload, **{key: value}))  # type: ignore[arg-type]
        self.session.note_unreadable("workload", self._form.unread())
        self.show_missing()


def _about(chosen: tuple[Preset, ...], workload: Workload) -> str:
    """Return what the chosen presets do; for several what becomes of their demands."""
    if not chosen:
        return _("One answer or several: each fills the details with usual values and says why.")
    count = sum(filled_by(workload, detail) is not None for detail in DETAILS)
    if len(chosen) > 1:
        titles = ", ".join(_(p.title) for p in chosen)
        text = _("{titles}: each gets a dataset; the hardest demand counts for the {count} details filled below.")
        return text.format(titles=titles, count=count)
    text = _("{title}: {summary}. Fills {count} details below, which can be changed.")
    only = chosen[0]
    return text.format(title=_(only.title), summary=_(only.summary), count=len(only.filled))


# The details as the form shows them: name, how to read and write each, and what it changes.


def _details() -> tuple[Field, ...]:
    unknown, percent = _("unknown"), Typed(parse_percent, str, _percent)
    io = Typed(partial(parse_block_size, what=_("I/O size")), size_text, size_read)
    clients = Typed(partial(parse_count, what=_("number of clients"), least=1), str)
    file = Typed(partial(parse_block_size, what=_("file size")), size_text, size_read)
    often = Typed(partial(parse_size, what=_("working set")), size_text, size_read)
    network = Typed(parse_link_rate, rate_text, link_read)
    known = ((None, unknown), (True, _("yes")), (False, _("no")))
    shared = ((Sharing.LOCAL, _("not shared")), (Sharing.NFS, "NFS"), (Sharing.SMB, "SMB"), (Sharing.ISCSI, "iSCSI"))
    stored = ((False, _("files in datasets")), (True, _("volumes (zvols)")))
    of_reads = _("Reads spread over the disks; a write goes to all disks of a mirror or a raidz stripe.")
    in_order = _("A raidz vdev answers small random reads about as fast as a single disk.")
    of_io = _("Decides recordsize or volblocksize. Such as 16 KiB.")
    waiting = _("Of the writes, those that wait for stable storage. Only these gain from a log device.")
    of_files = _("Large files gain from a large recordsize. Such as 4 MiB.")
    again = _("How often a block is stored on average. Decides whether dedup pays.")
    in_use = _("What is read again and again. Such as 200 GiB.")
    carried = _("Clients get no more than the network carries. Such as 10 Gbit/s or 25GbE.")
    waits = _("NFS and iSCSI wait for writes; SMB wants its own properties.")
    fixed = _("zvols have a volblocksize that cannot be changed later.")
    return (
        Field("read_percent", _("Reads, % of I/O"), percent, of_reads, unknown),
        Field("sequential_percent", _("Sequential, %"), percent, in_order, unknown),
        Field("io_size_bytes", _("Typical I/O size"), io, of_io, unknown),
        Field("sync_write_percent", _("Synchronous writes, %"), percent, waiting, unknown),
        Field("clients", _("Clients at once"), clients, "", unknown),
        Field("typical_file_bytes", _("Typical file size"), file, of_files, unknown),
        Field("compressible", _("Compressible"), known, _("lz4 costs next to nothing and gives up early.")),
        Field("duplicate_factor", _("Duplicate factor"), Typed(parse_factor, short), again, unknown),
        Field("working_set_bytes", _("Working set"), often, in_use, unknown),
        Field("growth_percent", _("Growth, % a year"), Typed(parse_growth, str, growth_read), "", unknown),
        Field("network_bytes_per_second", _("Network"), network, carried, unknown),
        Field("sharing", _("Shared by"), ((None, unknown), *shared), waits),
        Field("volumes", _("Stored as"), stored, fixed),
    )


def _percent(value: float) -> str:
    return f"{value:g} %"


# A goal as a card that is chosen like a radio button: what it means, what it brings, what it costs.


class GoalCard(ChoiceCard):
    """Shows what a goal promises; the figures behind it stand behind “Why?”."""

    def __init__(self, facts: GoalFacts, parent: QWidget | None = None) -> None:
        super().__init__(_(facts.title), parent)
        self.goal, self._facts = facts.goal, facts
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        costs = _("Costs: {price}", price=_(facts.price))
        self.setAccessibleDescription(f"{_(facts.meaning)} {_(facts.promise)} {costs}")
        head = lay.row((inert(Heading(_(facts.title), self)), 1), gap=GRID // 2)
        self._mark = inert(QLabel(self))
        self._mark.setFixedSize(icons.MEDIUM, icons.MEDIUM)
        head.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(head)
        self.body.addWidget(inert(ToneLabel(_(facts.meaning), Tone.TEXT, self)))
        self.body.addWidget(inert(ToneLabel(_("Such as: {what}", what=_(facts.example)), Tone.MUTED, self)))
        self._add(_("Brings"), _(facts.promise))
        self._add(_("Costs"), _(facts.price))
        self.body.addStretch(1)
        why = lay.button(_("Why?"), self, self._show_why, name=_("Why? {title}", title=_(facts.title)))
        self.body.addWidget(why, 0, Qt.AlignmentFlag.AlignLeft)
        self.toggled.connect(self._show_mark)
        theme().changed.connect(self._show_mark)
        self._show_mark()

    def _add(self, title: str, text: str) -> None:
        heading = inert(ToneLabel(title, Tone.TEXT, self))
        heading.setFont(text_font(SMALL_POINTS, semibold=True))
        self.body.addLayout(lay.column(heading, inert(ToneLabel(text, Tone.TEXT, self)), gap=1))

    def _show_why(self) -> None:
        """Show what was measured or documented, with its source."""
        sides = ((_("Brings"), self._facts.gains), (_("Costs"), self._facts.costs))
        read = _("Measured on a pool of 6 TB disks: take the direction of the effect from them, not the number.")
        parts = ((heading, "\n".join(map(_line, statements))) for heading, statements in sides)
        WhyDialog(_(self._facts.title), self, (*parts, (_("How to read the figures"), read)))

    def _show_mark(self) -> None:
        # The mark tells the chosen card apart without colour.
        if self.isChecked():
            self._mark.setPixmap(icons.icon("ok", Tone.ACCENT).pixmap(icons.MEDIUM, icons.MEDIUM))
        else:
            self._mark.clear()


def _line(statement: Statement) -> str:
    return f"{_(statement.text)} ({_(statement.source.ref)})"
