"""Reads the rules that ship with the program and the user's own. Command line and window both load them here."""

import gc
from collections.abc import Generator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from poolwright import paths
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import first_bad_line
from poolwright.domain.steps import at_once
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import _, per_language

LIMITS, ADVICE, EXISTING = "limits.toml", "advice.toml", "existing.toml"
_LARGEST_BYTES = 4 << 20


def load_rules_in_steps(
    *, extra: tuple[Path, ...] = (), with_own: bool = True, only: tuple[str, ...] | None = None
) -> Generator[None, None, RuleBook]:
    """Return the shipped rules, the user's own from the configuration folder, and those in the files ``extra``.

    ``only`` names the shipped files that are wanted: who needs but the advice loads it in a fraction of the time.

    Raises RuleErrors with everything that is wrong in all of them, UserError where one is no text, EnvironmentFailure
    where it cannot be read. Beside own ones every rule is tried on its examples. Yields every few milliseconds.
    """
    from poolwright.rules.load import load_rule_book_in_steps  # noqa: PLC0415 - the window is painted without it

    folder = paths.rules_folder()
    own_folder = None
    if with_own:
        with suppress(EnvironmentFailure):  # a user without a home has no rules of their own
            own_folder = paths.user_folder("config") / "rules"
    own = {} if own_folder is None else {path.name: _read(path) for path in sorted(own_folder.glob("*.toml"))}
    own_limits = own.pop(LIMITS, None)
    for path in extra:
        own[str(path)] = _read(path)
    shipped = {path.name: paths.shipped_text(path) for path in sorted(folder.glob("*.toml"))}
    limits = shipped.pop(LIMITS, "")
    yield
    return (
        yield from load_rule_book_in_steps(
            {name: text for name, text in shipped.items() if only is None or name in only},
            limits=limits,
            tables=[path.name for path in (folder / "tables").glob("*.csv")],
            own_files={
                _("{name} (your own)", name=name) if name in shipped else name: text for name, text in own.items()
            },
            own_limits=own_limits,
            run_examples=bool(own) or own_limits is not None,  # the shipped ones alone are tried by our tests
        )
    )


def load_rules(*, extra: tuple[Path, ...] = (), with_own: bool = True, only: tuple[str, ...] | None = None) -> RuleBook:
    return at_once(load_rules_in_steps(extra=extra, with_own=with_own, only=only))


@per_language
@cache
def load_shipped(*, existing: bool = True) -> RuleBook:
    """Return the shipped rules and the user's own, those on ``existing`` pools as well; read once."""
    only = None if existing else tuple(p.name for p in paths.rules_folder().glob("*.toml") if p.name != EXISTING)
    # The book lives as long as the program: the collector need not look through it again and again.
    gc.disable()
    try:
        return at_once(load_rules_in_steps(only=only))
    finally:
        gc.freeze()
        gc.enable()


load_design_rules = partial(load_shipped, existing=False)  # in four fifths of the time


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise EnvironmentFailure(
                _("The file is larger than {most} MiB", most=_LARGEST_BYTES >> 20), where=str(path)
            )
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        where, todo = f"{path}:{first_bad_line(error)}", _("Write rules as TOML in UTF-8.")
        raise UserError(_("The file is not UTF-8 text"), where=where, todo=todo) from None
    except OSError as error:
        raise EnvironmentFailure(_("The file cannot be read: {why}", why=error.strerror), where=str(path)) from error
