"""What can be set: colours, currency, the system and OpenZFS of new designs, rules of one's own."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QWidget

from poolwright.domain.money import parse_currency
from poolwright.domain.pool_settings import import_target
from poolwright.domain.version import OLDEST_CURRENT, System, ZfsVersion, age_told, known_system, systems
from poolwright.jobs.job import Asking, SlicedJob
from poolwright.languages import NAMES
from poolwright.paths import user_folder
from poolwright.rule_library import load_rules_in_steps
from poolwright.rules.rulebook import PropertyRule, Rule, RuleBook
from poolwright.texts import N_, _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.form import FactChoice, Field, Form, Remark, Typed
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.save_file import ask_file
from poolwright.ui.parts.theme import GRID, Scheme, Tone, theme
from poolwright.ui.parts.widgets import Heading, ToneLabel

SERIES = ("2.4", "2.3", "2.2", "2.1", "2.0", "0.8", "0.7", "0.6")
SIZES = (100, 125, 150, 200)
_NAMES, _EDITORS = 16 * GRID, 23 * GRID  # two cards fit beside each other at 1280


class SettingsPage(Page):
    heading = N_("Settings")
    about = N_("Changes apply at once, text size at the next start.")
    width_limit: ClassVar[int | None] = 1680

    def build(self) -> None:
        self._reading = Asking(self.session.jobs, self, self._on_rules_read, self._say_of_rules)
        cards = Flow(gap=2 * GRID, column=56 * GRID, most=2)
        for of in (self._make_appearance, self._make_designs, self._make_reports, self._make_folders):
            cards.addWidget(of())
        self.body.addLayout(cards)
        self.body.addStretch(1)

    def refresh(self) -> None:
        self._show_designs()
        book = self.session.rules
        if book is None:
            problem = self.session.rules_problem
            self._say_of_rules(problem or _("The rules are being loaded."), Tone.BLOCK if problem else Tone.MUTED)
            return
        everything: tuple[Rule | PropertyRule, ...] = (*book.rules, *book.properties)
        own = sum(1 for rule in everything if rule.users_own)
        text = _("{count} rules, {own} of them your own.", count=len(everything), own=own)
        self._say_of_rules(text, Tone.MUTED)

    def _say_of_rules(self, text: str, tone: Tone = Tone.BLOCK) -> None:
        self._rules_state.setText(text)
        self._rules_state.set_tone(tone)

    def _show_designs(self) -> None:
        chosen, system = self.session.preferences, known_system(self.session.preferences.system)
        self._designs.editor("system").show_value(chosen.system, Remark(text=system.install if system else ""), "")
        old, version = age_told(chosen.version), self._designs.editor("version")
        assert isinstance(version, FactChoice)
        version.offer(chosen.version, _version_words(str(chosen.version)))
        remark = Remark(text=self._version_remark(system), tone=Tone.MUTED)
        version.show_value(chosen.version, remark if old is None else Remark(text=old, tone=Tone.WARN))
        usual = _("For amounts typed without a currency.")
        if not self._designs.unread():  # what somebody is typing stays
            self._designs.editor("currency").show_value(chosen.currency, Remark(text=usual), _("EUR, USD…"))

    def _version_remark(self, system: System | None) -> str:
        inventory, version = self.session.inventory, self.session.preferences.version
        if system is not None:
            return _(import_target(f"{version.major}.{version.minor}").why)
        if inventory is not None and (known := inventory.host.zfs_version):
            return _("{machine} runs OpenZFS {known}, which is used instead.", machine=inventory.name, known=known)
        return _("Used where the machine's version is unknown.")

    def _make_appearance(self) -> QWidget:
        card = self._make_card(_("Appearance"))
        schemes = ((Scheme.SYSTEM, _("Follow the system")), (Scheme.LIGHT, _("Light")), (Scheme.DARK, _("Dark")))
        form = Form(card, least_names=_NAMES, editors=_EDITORS)
        sizes = tuple((percent, f"{percent} %") for percent in SIZES)
        languages = (("", _("Follow the system")), *NAMES.items())
        form.add(Field("language", _("Lan&guage"), languages))
        form.add(Field("scheme", _("Co&lours"), schemes), Field("size", _("Text si&ze"), sizes))
        kept = self.session.preferences
        for key, value in (("language", kept.language), ("scheme", theme().scheme), ("size", kept.size_percent)):
            form.editor(key).show_value(value, Remark(text=""), "")
            form.editor(key).remark.hide()
        form.edited.connect(self._on_appearance)
        card.body.addWidget(form)
        return card

    def _make_designs(self) -> QWidget:
        card = self._make_card(_("New designs"))
        offered = {ZfsVersion.parse(series): _version_words(series) for series in SERIES}
        self._designs = Form(card, least_names=_NAMES, editors=_EDITORS)
        named = [(system.key, system.name) for system in systems().values()]
        self._designs.add(
            Field("system", _("S&ystem"), ((None, _("As on the machine")), *named)),
            Field("version", _("&OpenZFS version"), tuple(offered.items())),
            Field("currency", _("Cu&rrency"), Typed(parse_currency, words=str), empty=_("EUR, USD…"), longest=8),
        )
        self._designs.edited.connect(self._on_designs)
        card.body.addWidget(self._designs)
        return card

    def _make_reports(self) -> QWidget:
        card, kept = self._make_card(_("Reports")), self.session.preferences
        self._reports = form = Form(card, least_names=_NAMES, editors=_EDITORS)
        for key, name in (("author", _("Author")), ("logo", _("Logo"))):
            form.add(Field(key, name, Typed(str)))
            form.editor(key).show_value(getattr(kept, key) or None, Remark(text=""), "")
            form.editor(key).remark.hide()
        form.edited.connect(self._on_reports)
        card.body.addWidget(form)
        title, ask = _("Choose logo…"), partial(ask_file, self, self._on_logo)
        form.put_behind("logo", widgets.button("", card, ask, icon="open", tip=title, name=title))
        return card

    def _on_reports(self, key: str, value: object) -> None:
        setattr(self.session.preferences, key, str(value or ""))

    def _on_logo(self, path: str) -> None:
        self._on_reports("logo", path)
        self._reports.editor("logo").show_value(path, Remark(text=""), "")

    def _make_folders(self) -> QWidget:
        about = _("Each *.toml file in this folder adds rules; limits.toml changes limits.")
        card = self._make_card(_("Your own rules"))
        self._add_folder(card, about, user_folder("config") / "rules")
        self._rules_state = ToneLabel("", Tone.MUTED, card)
        self._again = widgets.button(_("Read rules again"), card, self._on_read_again, icon="refresh")
        card.body.addLayout(widgets.row((self._rules_state, 1), self._again))
        card.body.addWidget(Heading(_("Data folder"), card))
        about = _("Library, log and crash reports. Nothing leaves this machine by itself.")
        self._add_folder(card, about, user_folder("data"))
        return card

    def _make_card(self, title: str) -> Card:
        card = Card(self)
        card.body.addWidget(Heading(title, card))
        card.body.setAlignment(Qt.AlignmentFlag.AlignTop)
        return card

    def _add_folder(self, card: Card, about: str, folder: Path) -> None:
        shown = widgets.named(QLineEdit(str(folder), card), _("Folder"))
        shown.setReadOnly(True)
        shown.setCursorPosition(0)
        button = widgets.button(_("Open folder"), card, partial(_open_folder, folder), icon="open")
        card.body.addWidget(ToneLabel(about, Tone.MUTED, card))
        card.body.addLayout(widgets.row((shown, 1), button))

    def _on_appearance(self, key: str, value: object) -> None:
        if key == "language":
            self.session.preferences.language = str(value or "")
            self.session.language_chosen.emit()
        elif isinstance(value, Scheme):
            self.session.preferences.scheme = value
            theme().choose(value)
        elif isinstance(value, int):
            self.session.preferences.size_percent = value

    def _on_designs(self, key: str, value: object) -> None:
        kept = self.session.preferences
        if key == "system":
            system = known_system(None if value is None else str(value))
            kept.system, kept.version = (system.key, system.version) if system else (None, kept.version)
            self.session.set_system(kept.system, kept.version)
        elif isinstance(value, ZfsVersion):
            kept.version = value
            self.session.set_version(value)
        elif key == "currency" and not self._designs.unread():
            currency = None if value is None else str(value)
            self.session.preferences.currency = currency
            if self.session.design is None:
                self.session.set_budget(self.session.budget.in_currency(currency))
        self._show_designs()

    def _on_read_again(self) -> None:
        self._reading.ask(SlicedJob(_("Reading the rules"), "program", load_rules_in_steps(), self))

    def _on_rules_read(self, rules: RuleBook) -> None:
        self.session.set_rules(rules)
        self.session.say(_("The rules were read again."))


def _open_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _version_words(series: str) -> str:
    version = ZfsVersion.parse(series)
    name = series if str(version) == series else _("{what} ({why})", what=series, why=version)
    return _("{name}, old", name=name) if version < OLDEST_CURRENT else name
