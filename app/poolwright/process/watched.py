"""Programs that are watched while they run, and programs that stay while others run; apart from who runs them."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from poolwright.domain.command import Batch, Command, Completed


class Watcher(Protocol):
    """Who hears what programs print, as it comes."""

    def hear(self, place: int, chunk: bytes) -> None:
        """Take what the main program (place 0) or one of those beside it (from 1 on) printed."""

    def enough(self) -> bool:
        """Tell whether the programs are to end now; asked several times a second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watched:
    """A program that is watched, and others that run beside it until it ends.

    The main program's standard input stays open after its ``stdin`` was fed: its end tells the program that nobody
    waits for it any more. To end it, that input is closed and its session told to end; 2 s later it is gone in any
    case. Answered by what came of the main program and of those beside it; what they printed went to the watcher.
    Ended by the watcher or by a person, the main program's ending is CANCELLED. With ``beats`` a dot is written into
    the open input every few seconds, so that a far side sees when nobody is there any more.
    """

    main: Command
    watcher: Watcher
    beside: tuple[Command, ...] = ()
    beats: bool = False

    @property
    def commands(self) -> Batch:
        return (self.main, *self.beside)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Held:
    """A program that stays, with its standard input open, while others run.

    Answered by nothing once it printed its first line, or by what came of it where it ended instead. ``beats`` as in
    `Watched`.
    """

    command: Command
    beats: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LetGo:
    """The end of a program's stay: its standard input is closed; answered by what came of it."""

    held: Held


Step = Batch | Watched | Held | LetGo
_T = TypeVar("_T")
Conversation = Generator[Step, tuple[Completed, ...], _T]
"""As `command.Reading`, with programs that stay and programs that are watched. A person's cancel is an answer as well:
all that follows is answered by CANCELLED at once, but for `LetGo`, and the generator returns what it has."""
