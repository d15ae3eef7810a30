"""Asking for a password in a window of its own, for OpenSSH and sudo: `poolwright --askpass window QUESTION`."""

import sys

from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit

from poolwright.domain.shown import shown_lines
from poolwright.process.ssh.arriving import own_program
from poolwright.process.ssh.asking import WINDOW, Asker
from poolwright.process.ssh.confirming import is_confirmation
from poolwright.texts import tell
from poolwright.ui.parts.save_file import keep_size


def window_asker() -> Asker:
    return Asker(argv=(*own_program(), WINDOW))


def ask_in_window(question: str) -> int:
    """Ask, without showing what is typed; print the answer. Status 1 where it was closed without one."""
    if is_confirmation(question):
        return 1  # a host key is never accepted here
    application = QApplication.instance() or QApplication(["poolwright"])
    dialog = QInputDialog()
    dialog.setWindowTitle(tell("Poolwright asks for a password"))
    dialog.setLabelText(shown_lines(question))
    dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
    keep_size(dialog)
    taken = bool(dialog.exec())
    answer = dialog.textValue()
    dialog.deleteLater()
    del application
    if not taken:
        return 1
    sys.stdout.write(answer + "\n")
    sys.stdout.flush()
    return 0
