"""Every colour that text is written in can be read on every ground it stands on."""

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QStyle, QStyleOptionButton, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design

from poolwright.emit.palette import DARK, LIGHT, Colours
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import Scheme, Tone, text_font, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session

GROUNDS = ("window", "base", "alternate", "button", "selection")
TEXTS = ("text", "muted", "accent", "ok", "note", "warn", "block", "unknown")
LEAST_CONTRAST = 4.5  # WCAG 2.1, AA
LEAST_CONTRAST_OF_MARKS = 3.0  # the same, 1.4.11


def luminance(colour: str) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)

    made = QColor(colour)
    return 0.2126 * linear(made.redF()) + 0.7152 * linear(made.greenF()) + 0.0722 * linear(made.blueF())


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_that_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_that_text_can_be_read(colours: Colours, ground: str, text: str) -> None:
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= LEAST_CONTRAST


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_text_on_the_accent_can_be_read(colours: Colours) -> None:
    assert contrast(colours.on_accent, colours.accent) >= LEAST_CONTRAST


def test_that_choosing_dark_repaints_the_palette(qtbot: QtBot, qapp: QApplication) -> None:
    with qtbot.waitSignal(theme().changed):
        theme().choose(Scheme.DARK)
    try:
        assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
        assert theme().colour(Tone.OK) == QColor(DARK.ok)
    finally:
        theme().choose(Scheme.LIGHT)
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.window)


def test_that_digits_have_one_width(qapp: QApplication) -> None:
    font = text_font()
    assert "tnum" in {bytes(tag.toString().data()).decode() for tag in font.featureTags()}


def test_that_every_icon_can_be_drawn_in_the_colour_that_is_asked_for_and_another_is_an_error(
    qapp: QApplication,
) -> None:
    from poolwright.paths import resources_folder

    names = sorted(path.stem for path in (resources_folder() / "icons").glob("*.svg"))
    assert len(names) > 30
    for name in names:
        image = icons.icon(name).pixmap(32, 32).toImage()
        assert any(image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)), name
    with pytest.raises(FileNotFoundError):
        icons.icon("no-such-icon")
    theme().choose(Scheme.LIGHT)
    image = icons.icon("block", Tone.BLOCK).pixmap(32, 32).toImage()
    seen = {image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 250}
    assert seen == {LIGHT.block}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_that_the_outline_of_an_unticked_box_stands_out(window: MainWindow, scheme: Scheme) -> None:
    theme().choose(scheme)
    window.session.show_design(thesis_design())
    for page, name in (("budget", "Partitions"), ("buying", "Only models &still sold")):
        window.show_page(page)
        box = next(b for b in window.page(page).findChildren(QCheckBox) if b.text() == name)
        box.setChecked(False)
        image = box.grab().toImage()
        ground = theme().colours.window  # the page's: a box has none of its own
        edge = QStyleOptionButton()
        box.initStyleOption(edge)
        place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, edge, box)
        outline = [image.pixelColor(place.left(), y).name() for y in range(place.top() + 3, place.bottom() - 2)]
        assert min(contrast(colour, ground) for colour in outline) >= LEAST_CONTRAST_OF_MARKS


# Whatever was hidden while the colours changed has the new ones when it is seen, as if made in them.


# Their look does not depend on what ended when.
PAGES = ("start", "workload", "budget", "design", "commands", "library", "reference")


def looks(window: MainWindow, names: tuple[str, ...]) -> dict[str, QImage]:
    found = {}
    for name in names:
        window.show_page(name)
        focused: QWidget | None = window.focusWidget()
        if focused is not None:
            focused.clearFocus()
        for _ in range(5):
            QCoreApplication.processEvents()
        found[name] = window.stack.grab().toImage()
    return found


def written_in(page: QWidget) -> set[str]:
    role = QPalette.ColorRole.WindowText
    return {label.palette().color(role).name() for label in page.findChildren(QLabel)}


@pytest.mark.slow
def test_that_a_page_hidden_during_the_change_is_written_in_the_new_colours(
    window: MainWindow, session: Session
) -> None:
    session.show_design(thesis_design())
    for name in PAGES:
        window.show_page(name)
    theme().choose(Scheme.DARK)
    window.show_page("workload")
    page = window.page("workload")
    both = {LIGHT.muted, LIGHT.text, LIGHT.accent, LIGHT.note}
    assert DARK.muted in written_in(page) | written_in(window.summary)
    assert not (written_in(page) | written_in(window.summary) | written_in(window.rail)) & both


@pytest.mark.slow
def test_that_pages_look_after_a_change_as_if_made_in_the_new_colours(
    window: MainWindow, session: Session, rules: RuleBook
) -> None:
    session.set_rules(rules)
    session.show_design(thesis_design())
    theme().choose(Scheme.DARK)
    looks(window, PAGES)
    dark = looks(window, PAGES)
    window.show_page("library")
    theme().choose(Scheme.LIGHT)
    light = looks(window, PAGES)
    window.show_page("start")
    theme().choose(Scheme.DARK)
    again = looks(window, PAGES)
    assert [name for name in PAGES if light[name] == dark[name]] == []
    assert [name for name in PAGES if again[name] != dark[name]] == []
