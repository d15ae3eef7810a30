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
from poolwright.texts import tell
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
        return tell("Workload")

    def sentence(self) -> str:
        return tell("Choose what the pool is for. The details below are optional: what is left empty is unknown.")

    def missing(self) -> str:
        """Return which details cannot be read."""
        wrong = ", ".join(self._form.unread())
        return tell("Not understood, so taken as unknown: {what}.", what=wrong) if wrong else ""

    def build(self) -> None:
        """Make the cards, the presets and the form."""
        self._disks = self.session.inventory  # with others, what was typed and not understood belongs to other work
        self.body.addLayout(self._make_goals())
        self.body.addWidget(Heading(tell("What will it hold?"), self))
        self.body.addLayout(self._make_presets())
        self.body.addLayout(self._make_suggestion())
        self.body.addWidget(Heading(tell("Details"), self))
        self._form = self._make_form()
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
        if self.session.inventory is not self._disks:
            self._disks = self.session.inventory
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
        offered = [(p.key, tell(p.title), tell(p.summary)) for p in PRESETS]
        offered.append(("", tell("No preset"), tell("Take back what a preset filled in")))
        for key, title, summary in offered:
            chip = Chip(key, title, tell("Preset: {title}", title=title) if key else title, self)
            chip.setToolTip(summary)
            chip.setAccessibleDescription(summary)
            chip.clicked.connect(self._on_preset)
            self._presets.addButton(chip)
            row.addWidget(chip)
        return row

    def _make_suggestion(self) -> QHBoxLayout:
        self._about_preset = ToneLabel("", Tone.MUTED, self)
        self._about_preset.setAccessibleName(tell("About the preset"))
        self._take_goal = QPushButton(self)
        self._take_goal.clicked.connect(self._on_take_goal)
        return lay.row((self._about_preset, 1), (self._take_goal, 0, Qt.AlignmentFlag.AlignTop), gap=2 * GRID)

    def _make_form(self) -> Form:
        form = Form(self)
        form.add(*details())
        form.edited.connect(self._on_edited)
        return form

    def _remark(self, field: Field, _value: object) -> Remark:
        chosen = filled_by(self.session.workload, field.key)
        if chosen is not None:
            text = tell("{preset}: {why}.", preset=tell(chosen.title), why=chosen.reason(field.key))
            return Remark(text=text, tone=Tone.ACCENT, icon="workload")
        inventory = self.session.inventory
        rate = inventory.host.network_bytes_per_second if inventory is not None else None
        if field.key == "network_bytes_per_second" and inventory is not None and rate is not None:
            text = tell("{machine} has {rate}. {help}", machine=inventory.name, rate=rate_text(rate), help=field.help)
            return Remark(text=text)
        return Remark(text=field.help)

    def _show_suggestion(self, workload: Workload) -> None:
        chosen, goal = presets_of(workload), usual_goal(workload)
        self._take_goal.setVisible(goal is not None and goal is not workload.goal)
        about = _about(chosen, workload)
        if goal is not None:
            title = tell(goal_facts(goal).title)
            self._take_goal.setText(tell("Use the goal {goal}", goal=title))
        about = f"{about} {goal_words(workload, told=self.session.work.goal_told)}".rstrip()
        self._about_preset.setText(about)

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
        return tell("One answer or several: each fills the details with usual values and says why.")
    count = sum(filled_by(workload, detail) is not None for detail in DETAILS)
    if len(chosen) > 1:
        return tell(
            "{titles}: each gets a dataset with what suits it. Of each of the {count} details filled below the hardest "
            "demand counts for the pool; they can be changed.",
            titles=", ".join(tell(p.title) for p in chosen),
            count=count,
        )
    (only,) = chosen
    return tell(
        "{title}: {summary}. Fills {count} details below, which can be changed.",
        title=tell(only.title),
        summary=tell(only.summary),
        count=len(only.filled),
    )


# The details of a workload as the form shows them: name, how to read and write each, and what it changes.


def details() -> tuple[Field, ...]:
    """Return the details in the order of the form."""
    return (*_of_the_io(), *_of_the_data(), *_of_the_clients())


def _of_the_io() -> tuple[Field, ...]:
    percent, unknown = Typed(parse_percent, str, _percent), tell("unknown")
    return (
        Field(
            "read_percent",
            tell("Reads, % of I/O"),
            percent,
            tell("Reads spread over the disks; each write goes to all disks of a mirror or a raidz stripe."),
            unknown,
        ),
        Field(
            "sequential_percent",
            tell("Sequential, %"),
            percent,
            tell("A raidz vdev answers small random reads about as fast as a single disk."),
            unknown,
        ),
        Field(
            "io_size_bytes",
            tell("Typical I/O size"),
            Typed(partial(parse_block_size, what=tell("I/O size")), size_text, size_read),
            tell("Decides recordsize or volblocksize, and how much raidz padding costs. Such as 16 KiB."),
            unknown,
        ),
        Field(
            "sync_write_percent",
            tell("Synchronous writes, %"),
            percent,
            tell("Share of the writes that wait for stable storage. Only these gain from a log device."),
            unknown,
        ),
        Field(
            "clients",
            tell("Clients at once"),
            Typed(partial(parse_count, what=tell("number of clients"), least=1), str, _clients_told),
            tell("How many work at the same time."),
            unknown,
        ),
    )


def _of_the_data() -> tuple[Field, ...]:
    unknown = tell("unknown")
    return (
        Field(
            "typical_file_bytes",
            tell("Typical file size"),
            Typed(partial(parse_block_size, what=tell("file size")), size_text, size_read),
            tell("Small files gain nothing from a large recordsize, large ones do. Such as 4 MiB."),
            unknown,
        ),
        Field(
            "compressible",
            tell("Compressible"),
            ((None, unknown), (True, tell("yes")), (False, tell("no"))),
            tell("lz4 costs next to nothing and gives up early."),
        ),
        Field(
            "duplicate_factor",
            tell("Duplicate factor"),
            Typed(parse_factor, short, _factor_told),
            tell("How often a block is stored on average; 1 is no duplicates. Decides whether dedup pays."),
            unknown,
        ),
        Field(
            "working_set_bytes",
            tell("Working set"),
            Typed(partial(parse_size, what=tell("working set")), size_text, size_read),
            tell("What is read again and again; more RAM than this needs no cache device. Such as 200 GiB."),
            unknown,
        ),
        Field(
            "growth_percent",
            tell("Growth, % a year"),
            Typed(parse_growth, str, growth_read),
            tell("When the pool will be full."),
            unknown,
        ),
    )


def _of_the_clients() -> tuple[Field, ...]:
    unknown = tell("unknown")
    shared = ((Sharing.NFS, "NFS"), (Sharing.SMB, "SMB"), (Sharing.ISCSI, "iSCSI"))
    return (
        Field(
            "network_bytes_per_second",
            tell("Network"),
            Typed(parse_link_rate, rate_text, link_read),
            tell("Clients get no more than the network carries. Such as 10 Gbit/s or 25GbE."),
            unknown,
        ),
        Field(
            "sharing",
            tell("Shared by"),
            ((None, unknown), (Sharing.LOCAL, tell("not shared")), *shared),
            tell("NFS and iSCSI wait for writes; SMB wants its own properties."),
        ),
        Field(
            "volumes",
            tell("Stored as"),
            ((False, tell("files in datasets")), (True, tell("volumes (zvols)"))),
            tell("zvols have a volblocksize that cannot be changed later."),
        ),
    )


def _percent(value: float) -> str:
    return f"{value:g} %"


def _clients_told(count: int) -> str:
    return tell("one at a time") if count == 1 else tell("{count} at the same time", count=count)


def _factor_told(factor: float) -> str:
    return tell("no duplicates") if factor == 1 else tell("each block {factor:g} times", factor=factor)


# A goal as a card that is chosen like a radio button: what it means, what it brings, what it costs.


class GoalCard(ChoiceCard):
    """Shows what a goal promises; the figures behind it stand behind “Why?”."""

    def __init__(self, facts: GoalFacts, parent: QWidget | None = None) -> None:
        super().__init__(tell(facts.title), parent)
        self.goal, self._facts = facts.goal, facts
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        costs = tell("Costs: {price}", price=tell(facts.price))
        self.setAccessibleDescription(f"{tell(facts.meaning)} {tell(facts.promise)} {costs}")
        head = lay.row((inert(Heading(tell(facts.title), self)), 1), gap=GRID // 2)
        self._mark = inert(QLabel(self))
        self._mark.setFixedSize(icons.MEDIUM, icons.MEDIUM)
        head.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(head)
        self.body.addWidget(inert(ToneLabel(tell(facts.meaning), Tone.TEXT, self)))
        self.body.addWidget(inert(ToneLabel(tell("Such as: {what}", what=tell(facts.example)), Tone.MUTED, self)))
        self._add(tell("Brings"), tell(facts.promise))
        self._add(tell("Costs"), tell(facts.price))
        self.body.addStretch(1)
        why = lay.button(tell("Why?"), self, self._show_why, name=tell("Why? {title}", title=tell(facts.title)))
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
        dialog = WhyDialog(tell(self._facts.title), self)
        for heading, statements in ((tell("Brings"), self._facts.gains), (tell("Costs"), self._facts.costs)):
            dialog.add_part(heading, "\n".join(_line(statement) for statement in statements))
        dialog.add_part(
            tell("How to read the figures"),
            tell("Measured on a pool of 6 TB disks: take the direction of the effect from them, not the number."),
        )
        dialog.body.addStretch(1)
        dialog.show()

    def _show_mark(self) -> None:
        # The mark tells the chosen card apart without colour.
        if self.isChecked():
            self._mark.setPixmap(icons.icon("ok", Tone.ACCENT).pixmap(icons.MEDIUM, icons.MEDIUM))
        else:
            self._mark.clear()


def _line(statement: Statement) -> str:
    return f"{tell(statement.text)} ({tell(statement.source.ref)})"
