"""Machines over SSH: those of ~/.ssh/config and typed ones, read side by side, each with its own end."""

import sys
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHBoxLayout, QInputDialog, QLineEdit, QPushButton

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.shown import shown_lines, shown_text
from poolwright.process.ssh import SshFailure, is_confirmation
from poolwright.texts import N_, _, ngettext, sentence
from poolwright.ui.parts import widgets
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.save_file import keep_size
from poolwright.ui.parts.table import KEY_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.state.hosts import HostPhase, HostRow, Hosts


class HostsPage(Page):
    """A table of hosts, and what is to be done about the selected one below it."""

    heading = N_("Hosts over SSH")
    about = N_("Runs lsblk, smartctl and zpool status there. Only reads; some seconds a host.")
    gap: ClassVar[int] = GRID

    def build(self) -> None:
        self.hosts = Hosts(self.session, self)
        self._table = RowModel[HostRow](_columns(), self, key=lambda row: row.name)
        self.body.addLayout(self._make_entry())
        rights = _("Root or sudo also reads health and hours. Keys and passwords stay with OpenSSH.")
        self.body.addWidget(ToneLabel(rights, Tone.MUTED, self, small=True))
        self._view = plain_table(_("Hosts"), self._table, self, fitted=True)
        self._view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self._view.horizontalHeader()
        header.setMaximumSectionSize(32 * GRID)
        header.setStretchLastSection(True)
        self._view.selectionModel().selectionChanged.connect(self._on_selected)
        self._view.doubleClicked.connect(self._on_read)
        self.body.addWidget(self._view, 1)
        self._empty = ToneLabel(_("No hosts in ~/.ssh/config. Enter one above."), Tone.MUTED, self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.body.addWidget(self._empty, 1)
        self.notice = Notice(_("What is to be done"), self)
        self.body.addWidget(self.notice)
        self.put_in_foot(*self._make_buttons())
        self.begins = (self._view,)
        self.hosts.changed.connect(self._show)
        self._show()
        self._view.selectRow(0)

    def main_button(self) -> QPushButton | None:
        return self._read if self._open.isHidden() else self._open

    def selected(self) -> tuple[HostRow, ...]:
        keys = [str(index.data(KEY_ROLE)) for index in self._view.selectionModel().selectedRows()]
        return tuple(row for key in keys if (row := self.hosts.row(key)) is not None)

    def _make_entry(self) -> QHBoxLayout:
        self._entry = widgets.entry(self, _("Another host"), _("Another host: name, user@host or ssh://user@host:port"))
        self._entry.setMinimumHeight(4 * GRID)
        self._entry.setMaxLength(300)
        self._entry.returnPressed.connect(self._on_add)
        self._entry.textChanged.connect(self._on_typed)
        self._add = widgets.button(_("Add"), self, self._on_add, icon="add", name=_("Add this host"))
        self._add.setEnabled(False)
        again = widgets.button(_("Reload"), self, self.hosts.look, icon="refresh")
        return widgets.row((self._entry, 1), self._add, again)

    def _make_buttons(self) -> tuple[QPushButton, ...]:
        self._read = widgets.button(_("Read"), self, self._on_read, icon="machine")
        self._cancel = widgets.button(_("Cancel"), self, self._on_cancel, icon="cancel", name=_("Cancel reading"))
        self._open = widgets.button(_("Open machine"), self, self._on_open, icon="disks")
        self._forget = widgets.button(_("Forget"), self, self._on_forget, icon="delete", name=_("Forget this host"))
        return self._forget, self._open, self._cancel, self._read

    def _show(self) -> None:
        self._table.show_rows(self.hosts.rows)
        self._strip.leave_job(to_page=any(row.busy for row in self.hosts.rows))
        self._view.setVisible(bool(self.hosts.rows))
        self._empty.setVisible(not self.hosts.rows)
        self._show_selected()

    def _on_selected(self) -> None:
        chosen = self.selected()
        if len(chosen) == 1:
            self.hosts.ask_way(chosen[0].name)
        self._show_selected()

    def _show_selected(self) -> None:
        chosen = self.selected()
        self._read.setVisible(bool(chosen))
        self._read.setEnabled(any(not row.busy for row in chosen))
        self._cancel.setVisible(any(row.busy for row in chosen))
        self._open.setVisible(len(chosen) == 1 and chosen[0].inventory is not None)
        self._forget.setVisible(bool(chosen) and all(row.typed and not row.busy for row in chosen))
        failed = len(chosen) == 1 and chosen[0].phase is HostPhase.FAILED
        self.notice.show_or_hide(self._failure_message(chosen[0]) if failed else None)
        self.show_main_button()

    def _on_typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _failure_message(self, row: HostRow) -> Message:
        failure = row.failure
        if failure is None:
            return Message(title=str(row.error), tone=Tone.BLOCK)
        facts = failure.facts if isinstance(failure, SshFailure) else ()
        where = f" ({failure.where})" if failure.where and not facts else ""
        offers = ((_("Copy"), partial(self._copy, row.command)),) if row.command else ()
        return Message(
            title=sentence(f"{failure.what}{where}"),
            tone=Tone.BLOCK,
            reasons="\n".join((*facts, row.command)).strip(),
            command=bool(row.command),
            todo=failure.todo or "",
            offers=(*offers, (_("Try again"), self._on_read)),
        )

    def _copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        self.session.say(_("Copied. Compare the fingerprints before you answer yes."))

    def _on_add(self) -> None:
        if not self._add.isEnabled():
            return
        try:
            name = self.hosts.add(self._entry.text())
        except PoolwrightError as error:
            self.notice.say(Message(title=error.text, tone=Tone.BLOCK))
            return
        self._entry.clear()
        line = self._table.line_of(name)
        if line is not None:
            self._view.selectRow(line)

    def _on_read(self) -> None:
        self.hosts.read(tuple(row.name for row in self.selected()))

    def _on_cancel(self) -> None:
        for row in self.selected():
            self.hosts.cancel(row.name)

    def _on_open(self) -> None:
        for row in self.selected()[:1]:
            self.hosts.open(row.name)

    def _on_forget(self) -> None:
        for row in self.selected():
            self.hosts.forget(row.name)


# The hosts as a table: how each is reached, and what became of it.

_TONES = {HostPhase.READ: Tone.OK, HostPhase.FAILED: Tone.BLOCK, HostPhase.CANCELLED: Tone.MUTED}


def state_text(row: HostRow) -> str:
    if row.phase is HostPhase.READ and row.inventory is not None:
        disks = ngettext("{count} disk", "{count} disks", len(row.inventory.disks))
        return _("read: {disks}", disks=disks)
    if row.phase is HostPhase.FAILED and row.failure is not None:
        return row.failure.what
    percent = f", {round(100 * row.fraction)} %" if row.busy and row.fraction is not None else ""
    return f"{_(row.phase.value)}{percent}"


def _reached(row: HostRow) -> str:
    if row.way is None:
        return ""
    if row.way.jump:
        return _("{address} through {jump}", address=shown_text(row.way.words), jump=shown_text(row.way.jump))
    return shown_text(row.way.words)


def _look(row: HostRow, role: int) -> object:
    tone = _TONES.get(row.phase)
    return theme().colour(tone) if role == Qt.ItemDataRole.ForegroundRole and tone is not None else None


def _columns() -> tuple[TableColumn[HostRow], ...]:
    return (
        TableColumn(title=_("Host"), text=lambda row: shown_text(row.name), tip=lambda row: shown_text(row.name)),
        TableColumn(title=_("Reached as"), meaning=_("According to ssh -G"), text=_reached, tip=_reached),
        TableColumn(title=_("From"), text=lambda row: _("typed") if row.typed else _("config")),
        TableColumn(title=_("State"), text=state_text, tip=state_text, look=_look),
    )


# Asking for a password in a window of its own, for OpenSSH and sudo: `poolwright --askpass window QUESTION`.


def ask_in_window(question: str) -> int:
    """Ask, without showing what is typed; print the answer. Status 1 where it was closed without one."""
    if is_confirmation(question):
        return 1  # a host key is never accepted here
    application = QApplication.instance() or QApplication(["poolwright"])
    dialog = QInputDialog()
    dialog.setWindowTitle(_("Poolwright asks for a password"))
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
