"""The tab with the pool as a picture and as a tree."""

from PySide6.QtWidgets import QWidget

from poolwright.ui.session import Session


class PicturePane(QWidget):
    """Shows the design and lets it be changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session

    def refresh(self) -> None:
        """Show the session's design."""
