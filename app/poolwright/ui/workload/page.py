"""The workload page: one of four goals, and under it what is known of the I/O, by its data or by hand."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton

from poolwright.design.amounts import rate_text
from poolwright.design.goals import GOALS, goal_facts
from poolwright.domain.workload import Workload
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
from poolwright.ui.parts import lay
from poolwright.ui.parts.chip import Chip
from poolwright.ui.parts.flow import Flow
from poolwright.ui.parts.form import Field, Form, Remark
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.workload.details import details
from poolwright.ui.workload.goal_card import GoalCard

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
