"""The first page."""

from poolwright.ui.pages.page import Page


class StartPage(Page):
    """Where a design begins."""

    def title(self) -> str:
        return self.tr("Start")

    def sentence(self) -> str:
        return self.tr("Begin a design from the disks you have or the disks you may buy, or go on with one.")
