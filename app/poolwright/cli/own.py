"""A layout of one's own as a JSON object and as lines: its numbers, and which wishes it misses."""

from poolwright.cli.by_hand import told_findings
from poolwright.cli.capacity import capacity_document
from poolwright.cli.designs import evaluated
from poolwright.cli.output import print_line
from poolwright.cli.predictions import predictions_document, print_loss, risk_document, rounded
from poolwright.cli.ranking import finding_document, speeds
from poolwright.design.evaluate import Evaluation
from poolwright.design.rank import survives
from poolwright.design.wishes import budget_objections
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import describe
from poolwright.predict.reliability import Risk, joined
from poolwright.rules.model import RuleBook
from poolwright.texts import tell


def _judged(design: Design, book: RuleBook) -> Evaluation:
    """Return everything known of the design; raises Refusal where OpenZFS would not make it."""
    found = evaluated(design, rules=book)
    if found.main.capacity is None or found.usable_bytes is None:
        raise Refusal(tell("This layout cannot be made"), todo=tell("Change --layout."), reasons=(found.main.problem,))
    return found


def _missed(found: Evaluation) -> tuple[str, ...]:
    usable, survived = found.usable_bytes or 0, found.survived or 0
    return budget_objections(found.design.budget, found.spares, usable, survived)


def own_document(design: Design, book: RuleBook) -> dict[str, object]:
    """Return the design's layout in the form of a candidate; raises Refusal where it cannot be made."""
    found = _judged(design, book)
    assert found.main.capacity is not None
    expected = found.main.expected
    return {
        "layout": [str(spec) for spec in design.layout()],
        "description": describe(design.layout()),
        "capacity": {**capacity_document(found.main.capacity), "usable_bytes_all_pools": found.usable_bytes},
        "failures_survived": found.survived,
        "spares": found.spares,
        "predictions": None if expected is None else predictions_document(expected.predictions),
        "risk": None if expected is None else risk_document(expected.predictions.risk),
        **_of_any_pool(found),
        "findings": [finding_document(finding) for finding in told_findings(found.findings)],
        "wishes_missed": list(_missed(found)),
        "disks": [
            {"vdev": number, "disk": member.disk_key}
            for number, vdev in enumerate(design.vdevs)
            for member in vdev.members
        ],
    }


def _risk(found: Evaluation) -> Risk | None:
    """Return the risk of losing any of the pools; None where nothing can be predicted of one."""
    risks = [pool.expected.predictions.risk for pool in found.pools if pool.expected is not None]
    return joined(risks, pools=len(risks)) if len(risks) == len(found.pools) else None


def _of_any_pool(found: Evaluation) -> dict[str, object]:
    risk = _risk(found)
    return {
        "yearly_loss_any_pool": None if risk is None else rounded(risk.disk_probability),
        "yearly_loss_any_pool_with_other_causes": None if risk is None else rounded(risk.probability),
    }


def print_own(design: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Print the layout and its numbers; return the findings. Raises Refusal where it cannot be made."""
    found = _judged(design, book)
    print_line(tell("Your layout: {layout}, ashift {ashift}", layout=describe(design.layout()), ashift=design.ashift))
    usable = found.usable_bytes or 0
    told = tell("usable {binary} ({decimal})", binary=units.binary(usable), decimal=units.decimal(usable))
    print_line(f"  {told}" if found.survived is None else f"  {told}, {survives(found.survived)}")
    expected = found.main.expected
    if expected is not None:
        for text in speeds(expected.speed, expected.itself):
            print_line(f"  {text}")
    print_loss(_risk(found))
    for text in _missed(found):
        print_line("  " + tell("wish missed: {text}", text=text))
    return told_findings(found.findings)
