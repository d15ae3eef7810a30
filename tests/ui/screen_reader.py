"""What a screen reader hears of the window, page by page, over AT-SPI: run by the system's Python, which has that."""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402 (its version has to be asked for first)

MOST_CHILDREN, SECONDS = 60, 30  # of a table the first cells tell how all are called


def program() -> Any:
    """Return the program once it is on the bus and shows a page."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            found = desktop.get_child_at_index(number)
            if found is not None and "oolwright" in found.get_name() and rail(found):
                return found
        time.sleep(0.2)
    sys.exit("the program is not on the bus")


def shown(node: Any) -> Iterator[Any]:
    """Yield what is in sight of a part and below it."""
    if node.get_state_set().contains(Atspi.StateType.SHOWING):
        yield node
    for number in range(min(node.get_child_count(), MOST_CHILDREN)):
        child = node.get_child_at_index(number)
        if child is not None:
            yield from shown(child)


def rail(root: Any) -> list[Any]:
    pages = next((part for part in shown(root) if part.get_name() == "Pages"), None)
    return [] if pages is None else [part for part in shown(pages) if part.get_role_name() == "radio button"]


def heard(root: Any) -> list[dict[str, object]]:
    reached = (Atspi.StateType.FOCUSABLE, Atspi.StateType.ENABLED)
    return [
        {"role": part.get_role_name(), "name": part.get_name(), "about": part.get_description()}
        | {"reached": all(map(part.get_state_set().contains, reached))}
        for part in shown(root)
    ]


def choose(root: Any, page: int) -> None:
    """Choose a page as a screen reader does: by the action of its button, not by pointer or keys."""
    button = rail(root)[page]
    actions = [button.get_action_name(number) for number in range(button.get_n_actions())]
    button.do_action(next(number for number, name in enumerate(actions) if name in ("Press", "Toggle")))
    title = button.get_name().partition(",")[0]
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and not any(
        part.get_role_name() == "label" and part.get_name() == title and "title" in part.get_description()
        for part in shown(root)
    ):
        time.sleep(0.1)


def main() -> None:
    root, pages = program(), {}
    for number, button in enumerate(rail(root)):
        title = button.get_name().partition(",")[0]
        if number:
            choose(root, number)
        until = time.monotonic() + SECONDS
        while any(each.get_name().endswith("working") for each in rail(root)) and time.monotonic() < until:
            time.sleep(0.2)
        time.sleep(0.5)
        pages[title] = heard(root)
    json.dump(pages, sys.stdout)


if __name__ == "__main__":
    main()
