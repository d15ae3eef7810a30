"""Start: the command line when there are arguments, else the window."""

import gc
import os
import sys

from poolwright.languages import choose
from poolwright.texts import _


def main() -> int:
    choose()
    if sys.argv[1:] == ["--worker"]:
        from poolwright.process.worker import serve

        serve("poolwright.questions")
    if sys.argv[1:] == ["--once"]:
        from poolwright.process.worker import answer_once

        return answer_once()
    if sys.argv[1:] == ["--self-test"]:
        return tried()
    if sys.argv[1:2] == ["--askpass"]:
        return asked(sys.argv[2:])
    design = design_file(sys.argv[1:])
    if len(sys.argv) > 1 and design is None:
        # A command is over before looking through all that it made pays: a tenth of its time went into that.
        gc.set_threshold(1_000_000, 50, 50)
        from poolwright.cli.main import run

        return run(sys.argv[1:])
    from poolwright.paper.display import no_display

    reason = no_display()
    return without_window(reason, design) if reason else with_window(design)


def design_file(argv: list[str]) -> str | None:
    """Return the file that is to be opened in the window, as a file manager gives it; None for a command."""
    if len(argv) != 1 or not argv[0].endswith(".json") or not os.path.isfile(argv[0]):  # noqa: PTH113 - pathlib takes 5 ms
        return None
    return argv[0]


def asked(words: list[str]) -> int:
    """Ask somebody for a password, in a window or at a terminal, and print it: for OpenSSH and sudo."""
    if words[:1] == ["window"]:
        from poolwright.ui.hosts.page import ask_in_window

        return ask_in_window(words[-1])
    from poolwright.cli.over_ssh import ask_at_terminal

    return ask_at_terminal(words[1] if len(words) > 2 else "", words[-1] if words else "")


def tried() -> int:
    """Try every page of this installation without a screen."""
    from poolwright.domain.errors import PoolwrightError
    from poolwright.paper.display import check_libraries

    try:
        check_libraries({"QT_QPA_PLATFORM": "offscreen"})
    except PoolwrightError as error:
        sys.stderr.write(f"poolwright: {error.text}\n")
        return error.exit_status
    from poolwright.ui.shell.self_test import self_test

    return self_test()


def without_window(reason: str, design: str | None = None) -> int:
    """Say why there is no window, and tell on the terminal of the design, or show what the program does."""
    from poolwright.cli.main import run

    sys.stderr.write(_("poolwright: {reason}, so no window is opened.\n", reason=reason))
    if design is not None:
        sys.stderr.flush()
        return run(["report", design])
    sys.stderr.write(
        _("The recommendation for the example machine “thesis” follows; see poolwright --help for more.\n\n")
    )
    sys.stderr.flush()
    return run(["recommend", "--example", "thesis", "--goal", "safety"])


def with_window(design: str | None = None) -> int:
    """Open the window, with a design where one is given; where a library is missing, say which."""
    gc.disable()  # nothing is garbage before the window stands; `ShortCollections` goes on from there
    from poolwright.domain.errors import PoolwrightError
    from poolwright.paper.display import check_libraries, import_plainly
    from poolwright.paths import user_folder

    try:
        check_libraries()
        import_plainly()
        user_folder("data")  # without a place for its library a window would keep nothing
        user_folder("config")
    except PoolwrightError as error:
        sys.stderr.write(f"poolwright: {error.text}\n")
        return error.exit_status
    from poolwright.ui.shell.application import open_window

    return open_window(design)


def start() -> None:
    status = main()
    if len(sys.argv) > 1:
        # What was told is written. To free one by one all that a command made takes a twentieth of its time.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    start()
