"""The failures people are told of. Anything else that is raised is a bug."""

from collections.abc import Iterable

from poolwright.texts import _, punctuated


class PoolwrightError(Exception):
    """A failure with a text for people: what happened, where, and what to do next."""

    exit_status = 3

    def __init__(self, what: str, *, where: str | None = None, todo: str | None = None) -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(self.text)

    @property
    def text(self) -> str:
        place = f" ({self.where})" if self.where else ""
        advice = f" {self.todo}" if self.todo else ""
        stop = "" if self.what.endswith((".", "?")) else "."
        return punctuated(f"{self.what}{place}{stop}{advice}")


class UserError(PoolwrightError):
    """The input is bad: a flag, a file, a name. Exit status 2."""

    exit_status = 2


class Refusal(PoolwrightError):
    """The request is well formed but cannot be met; ``reasons`` says why. Exit status 1."""

    exit_status = 1

    def __init__(
        self, what: str, *, where: str | None = None, todo: str | None = None, reasons: tuple[str, ...] = ()
    ) -> None:
        self.reasons = reasons
        super().__init__(what, where=where, todo=todo)


class EnvironmentFailure(PoolwrightError):
    """The machine or a tool failed: not installed, no permission, no answer. Exit status 3."""

    exit_status = 3


def looks_like(key: str, example: str) -> str:
    return _("“{key}” must look like {example}", key=key, example=example)


def is_missing(key: str) -> str:
    return _("“{key}” is missing", key=key)


def not_there(name: object, names: Iterable[str] = (), *, where: str | None = None) -> UserError:
    known = ", ".join(names)
    todo = _("Choose from {names}.", names=known) if known else None
    return UserError(_("“{name}” does not exist", name=name), where=where, todo=todo)


def excluded(one: str, other: str, *, todo: str | None = None) -> UserError:
    what = _("{one} and {other} cannot be combined", one=one, other=other)
    return UserError(what, todo=todo or _("Omit one of them."))


def taken_already(name: str, place: str) -> str:
    return _("“{name}” is taken already, in {place}", name=name, place=place)
