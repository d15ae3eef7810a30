"""What a conversation has running: programs that stay, and those that are watched now. Nothing here waits."""

from poolwright.domain.command import Command, Completed, Ending
from poolwright.process.piped import Piped
from poolwright.process.watched import Held, LetGo, Watched


class Scene:
    """Answers what is not a batch of commands. `begin` it, then `move` until `answers` are there."""

    def __init__(self) -> None:
        self.answers: tuple[Completed, ...] | None = None
        self._step: Watched | Held | LetGo | None = None
        self._running: tuple[Piped, ...] = ()
        self._staying: dict[Held, Piped] = {}
        self._said = False

    def begin(self, step: Watched | Held | LetGo) -> None:
        """Start what the step asks for, or let it go."""
        self.answers, self._step = None, step
        if isinstance(step, Watched):
            self._running = tuple(
                Piped(
                    command,
                    _Heard(step, place).hear,
                    lifeline=place == 0,
                    stays=place > 0,
                    beats=step.beats and place == 0,
                )
                for place, command in enumerate(step.commands)
            )
        elif isinstance(step, Held):
            self._said = False
            self._staying[step] = Piped(step.command, self._on_said, lifeline=True, stays=True, beats=step.beats)
        elif step.held in self._staying:
            self._staying[step.held].let_go()

    def _on_said(self, chunk: bytes) -> None:
        self._said = self._said or b"\n" in chunk

    def move(self) -> bool:
        """Hear what is new, and look whether the step is over; tell whether anything moved."""
        moved = [piped.move() for piped in (*self._running, *self._staying.values())]
        if isinstance(self._step, Watched):
            self._look_at(self._step)
        elif isinstance(self._step, Held):
            completed = self._staying[self._step].completed
            if completed is not None or self._said:
                self._answer(() if completed is None else (completed,))
        elif self._step is not None:
            self._look_whether_gone(self._step.held)
        return any(moved)

    def _look_whether_gone(self, held: Held) -> None:
        piped = self._staying.get(held)
        if piped is None:
            self._answer(())
        elif piped.completed is not None:
            del self._staying[held]
            self._answer((piped.completed,))

    def _look_at(self, watched: Watched) -> None:
        main, *beside = self._running
        if main.completed is None:
            if watched.watcher.enough():
                main.stop()
            return
        for piped in beside:
            piped.stop()
        completed = tuple(piped.completed for piped in self._running if piped.completed is not None)
        if len(completed) == len(self._running):
            self._running = ()
            self._answer(completed)

    def _answer(self, answers: tuple[Completed, ...]) -> None:
        self.answers, self._step = answers, None

    def cancel(self) -> None:
        """End what is watched, as a person's cancel does; what stays is left to `LetGo`."""
        for piped in self._running[:1]:
            piped.stop()

    def leave(self) -> None:
        """Give everything up at once: what stays sees the end of its input, what is watched is told to end."""
        for piped in self._running:
            piped.stop()
        for piped in (*self._running, *self._staying.values()):
            piped.leave()
        self._running, self._staying, self._step = (), {}, None


class _Heard:
    """The way of one program's output to its watcher."""

    def __init__(self, watched: Watched, place: int) -> None:
        self._watched, self._place = watched, place

    def hear(self, chunk: bytes) -> None:
        self._watched.watcher.hear(self._place, chunk)


def cancelled(command: Command) -> Completed:
    """Return the answer for a command that is not begun any more."""
    return Completed(command=command, ending=Ending.CANCELLED)
