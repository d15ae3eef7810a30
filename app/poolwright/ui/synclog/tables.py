"""The four combinations, and the paper's rows beside the model's, as tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QObject

from poolwright.domain.units import binary
from poolwright.predict.synclog.compare import LogComparison
from poolwright.predict.synclog.load import lopsided_share
from poolwright.predict.synclog.model import POLICIES, Commit, Placement, Policy
from poolwright.predict.synclog.paper import Reproduced
from poolwright.texts import tell
from poolwright.ui.parts.table import RowModel, TableColumn, text_columns


class RunColumn(IntEnum):
    COMBINATION = 0
    IOPS = 1
    GAIN = 2
    LATENCY = 3
    PER_COMMIT = 4
    LOPSIDED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRun:
    """A run under a policy. IOPS and latency go over all its commits, which no painting waits for."""

    policy: Policy
    gain_percent: float
    iops: float
    latency_seconds: float
    requests_per_commit: float
    lopsided: float


class RunTable(RowModel[PolicyRun]):
    """A row for each combination; bars compare IOPS and latency, the best of them is marked."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, key=lambda run: run.policy)

    def show_comparison(self, comparison: LogComparison) -> None:
        self.show_rows(
            PolicyRun(
                policy=policy,
                gain_percent=comparison.gain_percent(policy),
                iops=run.iops,
                latency_seconds=run.latency_seconds,
                requests_per_commit=run.requests_per_commit,
                lopsided=lopsided_share(run),
            )
            for policy, run in zip(POLICIES, comparison.runs, strict=True)
        )

    def _make_columns(self) -> tuple[TableColumn[PolicyRun], ...]:
        return (
            TableColumn(
                title=tell("Commits, log blocks"),
                meaning=tell("Which requests one commit takes, and how log blocks go round the disks"),
                text=lambda run: policy_text(run.policy),
            ),
            TableColumn(
                title=tell("IOPS"),
                meaning=tell("Committed requests per second, all volumes together"),
                value=lambda run: run.iops,
                text=lambda run: f"{run.iops:,.0f}",
                share=lambda run: run.iops / max(other.iops for other in self.rows),
                best=max,
                number=True,
            ),
            TableColumn(
                title=tell("Gain (%)"),
                meaning=tell("More IOPS than the first row"),
                text=lambda run: f"{run.gain_percent:+.1f}",
                number=True,
            ),
            TableColumn(
                title=tell("Latency (ms)"),
                meaning=tell("From handing a request over to its commit, mean"),
                value=lambda run: run.latency_seconds,
                text=lambda run: f"{run.latency_seconds * 1e3:.3g}",
                share=lambda run: run.latency_seconds / max(other.latency_seconds for other in self.rows),
                best=min,
                number=True,
            ),
            TableColumn(
                title=tell("Batch"),
                meaning=tell("Requests that one commit takes, mean"),
                text=lambda run: f"{run.requests_per_commit:.1f}",
                number=True,
            ),
            TableColumn(
                title=tell("Skew (%)"),
                meaning=tell("Time in which a disk idles while log blocks queue up at another"),
                text=lambda run: f"{100 * run.lopsided:.0f}",
                number=True,
            ),
        )


class PaperTable(RowModel[tuple[str, ...]]):
    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (tell("fsync"), tell("Requests between two syncs")),
            (tell("Block"), tell("Size of a request; the paper does not say it for the rows that vary fsync")),
            (tell("Paper (%)"), tell("Gain in IOPS that the paper prints; it only draws the last two")),
            (tell("Model (%)"), tell("Gain in IOPS of the simulation, the same parameters in every row")),
            (tell("Error (pp)"), tell("Model less paper, in percentage points")),
        )
        super().__init__(text_columns(headings, left=0), parent)

    def show_reproduced(self, rows: Sequence[Reproduced]) -> None:
        self.show_rows(
            (
                str(done.row.requests_per_sync),
                binary(done.row.block_bytes),
                "–" if done.row.gain_percent is None else f"{done.row.gain_percent:.1f}",
                f"{done.gain_percent:.1f}",
                "–" if done.error_points is None else f"{done.error_points:+.1f}",
            )
            for done in rows
        )


def policy_text(policy: Policy) -> str:
    commit = tell("singly") if policy.commit is Commit.PER_REQUEST else tell("together")
    where = tell("per volume") if policy.placement is Placement.PER_VOLUME else tell("global")
    return f"{commit}, {where}"
