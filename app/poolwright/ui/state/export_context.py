"""What exports say beside the design: when, the space of each pool, advice for the host."""

from collections.abc import Sequence
from datetime import datetime

from poolwright import __version__
from poolwright.design.evaluate import Evaluation
from poolwright.domain.design import Design, HostAdvice
from poolwright.emit.exports import ExportContext
from poolwright.emit.script_tables import PredictedSpace
from poolwright.emit.stamp import Stamp
from poolwright.store.design_file import to_json


def export_context(design: Design, assessment: Evaluation | None, advice: Sequence[HostAdvice]) -> ExportContext:
    """Return what the exports of ``design`` say now; the space is that of ``assessment``, unknown without one."""
    spaces = [pool.capacity for pool in assessment.pools] if assessment is not None else []
    stamp = Stamp(generated_at=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z"), program_version=__version__)
    predicted = tuple(
        PredictedSpace(size_bytes=s.pool_size_bytes, available_bytes=s.available_bytes)
        if s is not None
        else PredictedSpace()
        for s in spaces[: len(design.pools())]
    )
    return ExportContext(stamp=stamp, predicted=predicted, advice=tuple(advice), design_text=to_json)
