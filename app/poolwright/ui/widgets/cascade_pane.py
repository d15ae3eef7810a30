"""The tab with the way from raw bytes to usable bytes."""

from PySide6.QtWidgets import QWidget

from poolwright.ui.session import Session


class CascadePane(QWidget):
    """Shows the capacity of each pool of the design, step by step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session

    def refresh(self) -> None:
        """Show the session's design."""
