"""Reads a machine that cannot be reached: a command or script to run there, and a field to paste its output into."""

from typing import ClassVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QPushButton, QWidget

from poolwright.machine.packed import BEGIN, COLLECTOR, one_line
from poolwright.machine.pieces import is_capture
from poolwright.texts import N_, _
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.lay import Heading, ToneLabel
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.save_file import ask_files, ask_where
from poolwright.ui.parts.theme import GRID, Tone, mono_font

_LINE_HEIGHT, _PASTE_HEIGHT = 9 * GRID, 14 * GRID
MOST_CHARACTERS = 64_000_000


class OtherMachinePage(Page):
    heading = N_("From another machine")
    about = N_("Run the collector over there: it only reads. Then bring back what it printed.")
    gap: ClassVar[int] = 2 * GRID
    width_limit: ClassVar[int | None] = 1400

    def build(self) -> None:
        self._script = COLLECTOR.read_text(encoding="utf-8")
        self.notice = Notice(_("What was wrong"), self)
        self.body.addWidget(self._make_there())
        self.body.addWidget(self.notice)
        self.body.addWidget(self._make_here(), 1)
        self.session.sources.failed.connect(self._on_failed)
        self._show_line()

    def main_button(self) -> QPushButton | None:
        return self._read if self._read.isEnabled() else self._copy

    def _make_there(self) -> QWidget:
        card = Card(self)
        head = Heading(_("1. Over there"), card)
        text = ToneLabel(
            _("Paste this line into a terminal there: it prints a packed file to copy. Or save the script."),
            Tone.MUTED,
            card,
        )
        self._line = lay.named(QPlainTextEdit(card), _("The line to paste over there"))
        self._line.setReadOnly(True)
        self._line.setFont(mono_font())
        self._line.setFixedHeight(_LINE_HEIGHT)
        self._line.setTabChangesFocus(True)
        self.redact = QCheckBox(_("Replace serial numbers, WWNs and the host name"), card)
        self.redact.toggled.connect(self._show_line)
        self._copy = lay.button(_("Copy the line"), card, self._on_copy, icon="copy")
        save = lay.button(_("Save the script…"), card, self._on_save, icon="save")
        self._how = ToneLabel("", Tone.MUTED, card, small=True)
        for widget in (head, text, self._line, self.redact):
            card.body.addWidget(widget)
        card.body.addLayout(lay.row(self._copy, save, 1))
        card.body.addWidget(self._how)
        return card

    def _make_here(self) -> QWidget:
        card = Card(self)
        self._paste = lay.named(QPlainTextEdit(card), _("What it printed"))
        self._paste.setPlaceholderText(
            _("Paste what it printed, or lsblk, smartctl, nvme, zpool status. Drop files anywhere on the window.")
        )
        self._paste.setMinimumHeight(_PASTE_HEIGHT)
        self._paste.setTabChangesFocus(True)
        self._paste.setAcceptDrops(False)
        self._paste.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._paste.textChanged.connect(self._on_pasted)
        self._read = lay.button(_("Read it"), card, self._on_read, icon="machine")
        self._read.setEnabled(False)
        files = lay.button(_("Open files…"), card, self._on_files, icon="capture")
        folder = lay.button(_("Open a folder…"), card, self._on_folder, icon="open")
        card.body.addWidget(Heading(_("2. Back here"), card))
        card.body.addWidget(self._paste, 1)
        card.body.addLayout(lay.row(self._read, files, folder, 1))
        return card

    def _show_line(self) -> None:
        self._line.setPlainText(one_line(self._script, redact=self.redact.isChecked()))
        option = " --redact" if self.redact.isChecked() else ""
        self._how.setText(
            _(
                "The script is run there as: {command}",
                command=f"sudo sh collector.sh{option} > this-machine.capture",  # for machines
            )
        )

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._line.toPlainText())
        self.session.say(_("The line is copied."))

    def _on_save(self) -> None:
        ask_where(self, _("Save the collector"), "collector.sh", _("Shell scripts"), self._on_saved)

    def _on_saved(self, name: str) -> None:
        self.session.write(name, self._script)

    def _on_pasted(self) -> None:
        self._read.setEnabled(not self._paste.document().isEmpty())
        self.show_missing()
        text = self._paste.toPlainText()
        if is_capture(text) or BEGIN in text:  # whole and ours: nothing more to say
            self._on_read()

    def _on_read(self) -> None:
        text = self._paste.toPlainText()
        if len(text) > MOST_CHARACTERS:
            self.notice.show_text(_("Too long to paste: bring the file."), Tone.BLOCK)
            return
        self.notice.hide()
        self.session.sources.open_pasted(text)

    def _on_failed(self, text: str) -> None:
        if self.isVisible():
            self.notice.show_text(text, Tone.BLOCK)

    def _on_files(self) -> None:
        ask_files(self, _("Open captures"), self.session.sources.open_captures)

    def _on_folder(self) -> None:
        ask_files(self, _("Open a folder of captures"), self.session.sources.open_captures, folder=True)
