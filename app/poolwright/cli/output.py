"""How the command line prints: one JSON document, or aligned text."""

import argparse
import contextlib
import io
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from poolwright.cli.options import REPORT_FORMS
from poolwright.domain.errors import EnvironmentFailure, UserError, excluded
from poolwright.domain.shown import json_escaped, shown_lines
from poolwright.texts import _, capital, punctuated

if TYPE_CHECKING:
    from poolwright.domain.design import Design
    from poolwright.emit.report import Blocks, Part, Report, Terminal


def print_json(document: object, *, one_line: bool = False) -> None:
    text = json.dumps(document, indent=None if one_line else 2, ensure_ascii=False)
    sys.stdout.write(json_escaped(text) + "\n")


def answer(
    args: argparse.Namespace,
    document: Callable[[], Mapping[str, object]],
    parts: "Iterable[Part]",
    *,
    report: "Callable[[], Report] | None" = None,
    makes: bool = False,
) -> None:
    """Print what a command answers: as one JSON document where that is asked for, else as lines for people.

    With --format or -w it is a report of its blocks, or the ``report`` that says more; where the command ``makes``
    something by itself, -w alone means that.
    """
    if args.format or (args.output and not makes):
        whole = tuple(parts) if args.json or report is None else ()
        content = report_bytes(args, report() if report else _report_of(args, whole), report_form(args))
        deliver(args, content, document, report=True, told=whole)
    elif args.json:
        print_json(with_header(args, document(), parts))
    else:
        _print_parts(args, parts)


def _print_parts(args: argparse.Namespace, parts: "Iterable[Part]") -> None:
    from poolwright.emit.report import in_sight, terminal_lines

    options, on = view_of(args)
    whole = tuple(parts)  # what fails meanwhile leaves no half of an answer
    for line in terminal_lines(in_sight(whole, options), on):
        sys.stdout.write(line + "\n")


_WRITING = ("-w", "--output", "--format")
_MOST_COLUMNS, _PIPE_COLUMNS = 100, 80  # a line is not read easily where it is longer than a hundred


def view_of(args: argparse.Namespace) -> "tuple[frozenset[str], Terminal]":
    """Return the options that show more, and how wide and in which colours."""
    from poolwright.emit.report import ALL, WHY, Terminal

    shown = {ALL: getattr(args, "all", False), WHY: getattr(args, "why", False)}
    terminal, color = sys.stdout.isatty(), getattr(args, "color", None) or "auto"
    width = min(shutil.get_terminal_size().columns, _MOST_COLUMNS) if terminal else _PIPE_COLUMNS
    colour = color == "always" or (color == "auto" and terminal and not os.environ.get("NO_COLOR"))
    options = frozenset(option for option, given in shown.items() if given)
    return options, Terminal(width=width, whole=ALL in options, colour=colour)


def with_header(args: argparse.Namespace, document: Mapping[str, object], parts: "Iterable[Part]") -> dict[str, object]:
    """Return a document that begins as all do: schema, kind, answer, warnings, what is next; its own words hold."""
    from poolwright.emit.report import NEXT, Answer, Bullets, LastLine, Words

    every = list(parts)
    first = next((part for part in every if part and isinstance(part, str | Answer | Words)), None)
    text = first.text if isinstance(first, Answer | Words) else first
    return {
        "schema": 1,
        "kind": f"poolwright-{args.command}",
        "answer": {"text": text or "", **(first.figures if isinstance(first, Answer) else {})},
        "warnings": [item.text for part in every if isinstance(part, Bullets) and part.warns for item in part.items],
        "next": [part.text for part in every if isinstance(part, LastLine) and part.title == NEXT],
        **document,
    }


def _report_of(args: argparse.Namespace, parts: "Iterable[Part]") -> "Report":
    from poolwright.cli.main import COMMANDS
    from poolwright.emit.report import answer_report
    from poolwright.paper.cover import report_foot

    words = iter(args.argv)  # where it was written says nothing to who reads it
    asked = [word for word in words if word != "--force" and not (word in _WRITING and next(words, word))]
    about = capital(_(COMMANDS[args.command][1]))
    return answer_report(parts, asked=shlex.join(("poolwright", *asked)), made=report_foot(), about=about)


def deliver(
    args: argparse.Namespace,
    content: str | bytes,
    document: Callable[[], Mapping[str, object]],
    *,
    mode: int | None = None,
    report: bool = False,
    told: "Iterable[Part]" = (),
    following: "Iterable[Part]" = (),
) -> None:
    """Write a text to the file of --output and say so with what is ``following``, or print it; with --json print the
    document in its place, which begins with what is ``told``.
    """
    if not report and getattr(args, "format", None) in REPORT_FORMS:
        raise UserError(_("This answer is no report"), where="--format", todo=_("Omit --format."))
    file = args.output
    if file is not None:
        write_output(file, content, force=args.force, mode=mode)
    if args.json:
        print_json(with_header(args, document(), told))
    elif file is not None:
        if not is_device(file):
            from poolwright.emit.report import SAVED, endings

            _print_parts(args, (*endings(SAVED, file), *following))
    elif isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.buffer.write(content)


def save_design(name: str, design: "Design", *, force: bool) -> None:
    from poolwright.rule_library import load_design_rules
    from poolwright.store.design_file import to_json

    write_output(name, to_json(design, load_design_rules().sums()), force=force)


def separated(answers: "Iterable[Blocks]") -> "Blocks":
    """Yield the blocks of several answers with an empty line between them."""
    for number, blocks in enumerate(answers):
        yield from ("",) if number else ()
        yield from blocks


def share_words(share: float, nominal: float) -> str:
    if f"{100 * share:.0f}" == f"{100 * nominal:.0f}":
        return f"{100 * share:.0f} %"
    return _("{share:.0f} % (at best {nominal:.0f} %)", share=100 * share, nominal=100 * nominal)


# Writes the files that commands are asked for: whole or not at all, and none that is there unless --force is given.


_READ = ("design", "designs", "logo", "from_paths", "catalogue", "files", "blocks", "zdb", "verdict")
_WRITTEN = ("output", "save_design", "save_cheapest", "csv", "redact_to")


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse files that cannot or may not be written before any work; none that is read is, even with ``--force``."""
    if getattr(args, "format", None) in REPORT_FORMS:
        report_form(args)
    wanted = {dest: name for dest in _WRITTEN if isinstance(name := getattr(args, dest, None), str)}
    if not wanted:
        return
    given = [getattr(args, option, None) or () for option in _READ]
    names = [str(name) for one in given for name in ([one] if isinstance(one, str | Path) else one)]
    read, seen = {Path(name).resolve() for name in names if name != "-"}, dict[Path, str]()
    for dest, name in wanted.items():
        option = f"--{dest.replace('_', '-')}"
        if not name or name == "-":
            raise UserError(_("“{name}” is not the name of a file", name=name), where=option, todo=_("Name a file."))
        path = Path(name).resolve()
        if path in seen:
            raise excluded(f"{seen[path]} {name}", f"{option} {name}", todo=_("Name another file."))
        seen[path] = option
        if path in read:
            raise UserError(_("This file is read and would be written over"), where=name, todo=_("Name another file."))
        check_file(name, force=args.force)


def is_device(name: str) -> bool:
    path = Path(name)
    return path.exists() and not path.is_file()


def check_file(name: str, *, force: bool) -> None:
    path = Path(name).resolve()
    again = _("Name another file, or add --force to write over it.")
    try:
        wrong = (
            (path.is_dir(), _("This is a folder, not a file"), _("Name a file in it.")),
            (not path.parent.is_dir(), _("The folder of the file is missing"), _("Make it first, or name another.")),
            (path.is_file() and not force, _("The file is there already"), again),
        )
    except OSError as error:  # a name that is too long
        what = _("The file cannot be written: {strerror}", strerror=error.strerror)
        raise UserError(what, where=name, todo=_("Name another file.")) from None
    for is_so, what, todo in wrong:
        if is_so:
            raise UserError(what, where=name, todo=todo)


def write_output(name: str, content: str | bytes, *, force: bool, mode: int | None = None) -> None:
    from poolwright.store.files import PLAIN_MODE, write_bytes

    raw = content.encode() if isinstance(content, str) else content
    write_bytes(Path(name), raw, mode=PLAIN_MODE if mode is None else mode, only_new=not force)


# Standard input and output as they come: closed, full, gone, or of another encoding.


def prepare_streams(*, as_json: bool) -> None:
    """Make the three streams fit to be used; raises EnvironmentFailure where standard output is closed.

    JSON is UTF-8 whatever the locale. What an encoding cannot express is written as an escape, which is JSON's own
    where UTF-8 fails: a lone half of a surrogate pair, as it comes from arguments that are not text.
    """
    if sys.stdin is None:
        sys.stdin = _nothing("r")
    if sys.stderr is None:
        sys.stderr = _nothing("w")
    if sys.stdout is None:
        sys.stdout = _nothing("w")
        raise EnvironmentFailure(_("Standard output is closed"), todo=_("Send it to a file or a terminal."))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    if as_json and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _nothing(mode: str) -> IO[str]:
    return open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123 - lives as long as the process


assumed: list[str] = []  # what was taken for granted, said once the answer stands


def say(text: str) -> None:
    try:
        sys.stderr.write(shown_lines(punctuated(text)) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        abandon(sys.stderr)


def abandon(stream: IO[str]) -> None:
    """Give up a stream, so that the flush at the end of the process does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


_FORMS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".pdf": "pdf", ".txt": "md", "": "md"}


def report_form(args: argparse.Namespace) -> str:
    """Return the form of a report that --format tells or the ending of the file means; UserError where they differ."""
    form, name = args.format, args.output
    ending = Path(name).suffix.lower() if name else ""
    meant = _FORMS.get(ending)
    if form is None:
        if meant is None:
            raise UserError(
                _("A report has no form with the ending {ending}", ending=ending),
                where=name,
                todo=_("--save-design FILE saves the design.")
                if hasattr(args, "save_design")
                else _("Name the file .md, .html or .pdf, or say --format md, html or pdf."),
            )
        form = meant
    elif meant is not None and ending not in ("", ".txt") and meant != form:
        raise wrong_ending(name, ending, form, _("Give one of the two."))
    if form == "pdf" and name is None and (args.json or sys.stdout.isatty()):
        raise UserError(_("A PDF is nothing for a terminal or for JSON"), todo=_("Name a file with -w."))
    return str(form)


def wrong_ending(name: str, ending: str, wanted: str, todo: str) -> UserError:
    what = _("The ending {ending} does not fit the format {wanted}", ending=ending, wanted=wanted)
    return UserError(what, where=name, todo=todo)


def report_bytes(args: argparse.Namespace, bare: "Report", form: str) -> bytes:
    """Return the file, with --customer, --author and --logo above the report; raises UserError for no picture."""
    from poolwright.emit.report import html_text, markdown_text
    from poolwright.paper.cover import covered, pdf_bytes

    report = covered(bare, **{name: getattr(args, name, None) for name in ("customer", "author", "logo")})
    if form == "pdf":
        return pdf_bytes(report)
    return (html_text(report) if form == "html" else markdown_text(report)).encode()
