"""The design by hand: its picture, its tree, its capacity and what else belongs to it, each behind a tab."""

from typing import ClassVar

from poolwright.domain.design import Design
from poolwright.texts import N_, _
from poolwright.ui.parts.note_lines import Notice, no_design
from poolwright.ui.parts.tabbed_page import TabbedPage, TabEntry
from poolwright.ui.state.steps import StepState, broken_words, design_status


def planned_words(design: Design) -> str:
    """Return how many disks of a design no tool has seen; empty where all are real."""
    keys = design.used_keys()
    planned = sum(design.disk(key).planned for key in keys)
    text = _("A plan: {planned} of {all} disks are not bound to real ones yet.", planned=planned, all=len(keys))
    return text if planned else ""


class DesignPage(TabbedPage):
    heading = N_("Design")
    of_tabs: ClassVar[str] = N_("Parts of the design")
    _of = ""  # the key of the design that was shown last

    def entries(self) -> tuple[TabEntry, ...]:
        return (
            TabEntry("picture", _("Picture"), "design.picture.pane", "PicturePane"),
            TabEntry("outlook", _("Numbers"), "outlook.pane", "OutlookPane"),
            TabEntry("datasets", _("Datasets"), "design.datasets.pane", "DatasetsPane"),
            TabEntry("pool", _("Pool"), "design.pool_pane", "PoolPane"),
            TabEntry("roles", _("Support"), "design.roles.pane", "RolesPane"),
            TabEntry("growth", _("Growth"), "design.growth.pane", "GrowthPlanPane"),
            TabEntry("binding", _("Bind"), "design.binding.pane", "BindingPane"),
        )

    def build(self) -> None:
        super().build()
        self.empty = Notice(_("State of the design"), self)
        self.empty.pressed.connect(self.go)
        self.body.addWidget(self.empty)
        self.body.addStretch(0)

    def refresh(self) -> None:
        """Begin another design with its picture; one that is undone and done again is the same.

        Without a design only the picture has something to show, to begin one by hand.
        """
        design = self.session.design
        if design is not None and design.key != self._of:
            self._of = design.key
            self.tabs.setCurrentIndex(0)
        bare = design is None and self.front != "picture"
        self.empty.show_or_hide(no_design() if bare else None)
        self.stack.setVisible(not bare)
        if not bare:
            super().refresh()
        elif (main := getattr(self.part(self.front), "main", None)) is not None:
            main.hide()

    def sentence(self) -> str:
        if self.session.design is None:
            return _("Build a pool by hand: select disks in the tray and make a vdev of them.")
        text = broken_words(self.session) or planned_words(self.session.design)
        return text or _("Change the pool by hand; each step can be undone.")

    def show_main_button(self) -> None:
        """Lead to no script where there is none to be written: a pool that exists is grown or changed."""
        super().show_main_button()
        if self._next_button is not None and self.session.design is not None and self.session.design.exists:
            self._next_button.hide()

    def missing(self) -> str:
        if self.session.design is None:
            return _("There is no vdev yet.") if self.session.ticked else _("Tick disks on the disks page first.")
        status = design_status(self.session)
        return status.reason if status is not None and status.state is StepState.BLOCKED else ""
