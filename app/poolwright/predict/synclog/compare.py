"""The four combinations side by side, for one question."""

from collections.abc import Generator
from dataclasses import dataclass, replace

from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.predict.synclog.load import busy_shares
from poolwright.predict.synclog.model import AFTER, BEFORE, DEVICES, POLICIES, Drive, Policy, Setup
from poolwright.predict.synclog.simulate import REQUESTS, SEED, LogRun, part, simulate_in_steps
from poolwright.texts import tell

# The worst error of the ratio after : before when each row of the paper is predicted from the other three: 5 %.
RATIO_ERROR = 0.05
_BUSY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class LogComparison:
    """The runs of the four combinations in the order of `POLICIES`; ``with_log`` is the last of them with a separate
    log device, None where the question already has one."""

    setup: Setup
    runs: tuple[LogRun, ...]
    with_log: LogRun | None = None

    def of(self, policy: Policy) -> LogRun:
        """Return the run under ``policy``."""
        return self.runs[POLICIES.index(policy)]

    def gain_percent(self, policy: Policy = AFTER) -> float:
        """Return how many per cent more IOPS ``policy`` gives than the first combination."""
        return 100.0 * (self.of(policy).iops / self.of(BEFORE).iops - 1.0)

    def gain(self, policy: Policy = AFTER) -> Estimate:
        """Return the gain in per cent with the band that the model's error on the paper's rows leaves."""
        ratio = 1.0 + self.gain_percent(policy) / 100.0
        return Estimate(
            low=100.0 * (ratio * (1 - RATIO_ERROR) - 1.0),
            typical=100.0 * (ratio - 1.0),
            high=100.0 * (ratio * (1 + RATIO_ERROR) - 1.0),
            limit=limit_of(self.of(policy)),
            origin=Origin(
                kind=OriginKind.PREDICTED,
                source=tell("simulation of log commits; band: worst leave-one-out error on the paper's four rows"),
            ),
        )


def limit_of(run: LogRun) -> str:
    """Return what limits ``run``: the devices where they are busy nearly all the time, else the waiting of volumes."""
    if max(busy_shares(run)) >= _BUSY:
        return tell("log device") if run.setup.log is not None else tell("disks")
    return tell("each volume waits for its own commit")


def compare_in_steps(
    setup: Setup, *, requests: int = REQUESTS, seed: int = SEED, log: Drive | None = Drive.SSD
) -> Generator[float, None, LogComparison]:
    """Yield the share done, return the comparison. ``log`` is the device to try beside it, None for none."""
    questions = [(setup, policy) for policy in POLICIES]
    if setup.log is None and log is not None:
        questions.append((replace(setup, log=DEVICES[log]), AFTER))
    runs: list[LogRun] = []
    for number, (question, policy) in enumerate(questions):
        steps = simulate_in_steps(question, policy, requests=requests, seed=seed)
        runs.append((yield from part(steps, number, len(questions))))
    count = len(POLICIES)
    return LogComparison(setup=setup, runs=tuple(runs[:count]), with_log=runs[count] if len(runs) > count else None)


def compare(
    setup: Setup, *, requests: int = REQUESTS, seed: int = SEED, log: Drive | None = Drive.SSD
) -> LogComparison:
    """Return the four combinations for ``setup``."""
    steps = compare_in_steps(setup, requests=requests, seed=seed, log=log)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            comparison = stop.value
            assert isinstance(comparison, LogComparison)
            return comparison
