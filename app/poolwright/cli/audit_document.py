"""The JSON document of `poolwright audit`."""

from collections.abc import Sequence
from dataclasses import asdict

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.audit import PoolAudit
from poolwright.changes.imported import why_no_pool
from poolwright.cli.inventory import _pool as pool_document
from poolwright.domain.existing_pool import ExistingPool, Scan, VdevSizes
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.inventory import Inventory
from poolwright.emit.remedies import first_steps, remedy_of
from poolwright.emit.report_audit import answer_of

AUDIT_SCHEMA = 1


def audit_document(inventory: Inventory, audits: Sequence[PoolAudit]) -> dict[str, object]:
    """Return the audit of a machine as one JSON object."""
    return {
        "schema": AUDIT_SCHEMA,
        "machine": inventory.name,
        "pools_looked_for": not inventory.pools_unread,
        "answer": {
            "text": answer_of(audits) or why_no_pool(inventory).text,
            "worst": audits[0].pool.name if audits else None,
            "critical": sum(f.severity is Severity.BLOCK for audit in audits for f in audit.findings),
            "warnings": sum(f.severity is Severity.WARN for audit in audits for f in audit.findings),
        },
        "now": [
            {
                "pool": step.audit.pool.name,
                "rule": step.finding.rule_id,
                "text": step.finding.text,
                "commands": list(step.commands),
            }
            for step in first_steps(audits)
        ],
        "why_none": None if audits or inventory.imported() else why_no_pool(inventory).text,
        "pools": [_audit(audit) for audit in audits],
        "not_judged": [pool.name for pool in inventory.pools if pool.importable],
    }


def _audit(audit: PoolAudit) -> dict[str, object]:
    return {
        **pool_document(audit.pool),
        "gravest": audit.gravest.value if audit.gravest is not None else None,
        "read": _known(audit.known),
        "findings": [_finding(finding, audit) for finding in audit.findings],
        "not_known": [{"rule": f.rule_id, "text": f.text, "missing": list(f.missing)} for f in audit.unsure],
        "sizes": None
        if audit.sizes is None
        else {
            "rounded": audit.sizes.rounded,
            "missing": list(audit.sizes.missing),
            "cascades": [_cascade(cascade) for cascade in audit.sizes.cascades()],
        },
        "misplaced": None if audit.misplaced is None else [asdict(place) for place in audit.misplaced],
        "problem": audit.problem or None,
        "unread": audit.unread or None,
    }


def _finding(finding: Finding, audit: PoolAudit) -> dict[str, object]:
    remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
    return {
        "rule": finding.rule_id,
        "severity": finding.severity.value,
        "basis": finding.basis,
        "subject": finding.subject,
        "subjects": list(finding.subjects or (finding.subject,)),
        "text": finding.text,
        "why": finding.why,
        "advice": finding.advice,
        "commands": list(remedy.commands),
        "needs_rewrite": remedy.rewrite or None,
        "gain": None if gain is None else {"text": gain.text, "origin": str(gain.origin)},
        "facts": {fact.name: fact.value for fact in finding.facts},
        "sources": [str(source) for source in finding.sources],
    }


def _cascade(cascade: SizeCascade) -> dict[str, object]:
    return {
        "title": cascade.title,
        "printed_bytes": cascade.printed_bytes,
        "rest_bytes": cascade.rest_bytes,
        "steps": [step._asdict() for step in cascade.steps],
    }


def _known(known: ExistingPool) -> dict[str, object]:
    return {
        "origin": str(known.origin),
        "rounded": known.origin.rounded,
        "read_at": known.read_at.isoformat() if known.read_at is not None else None,
        "properties": {told.name: told.value for told in known.properties},
        "vdevs": [_sizes(sizes) for sizes in known.vdevs],
        "scans": [_scan(scan) for scan in known.scans],
        "checkpoint_bytes": known.checkpoint_bytes,
        "datasets": None if known.datasets is None else len(known.datasets),
    }


def _sizes(sizes: VdevSizes) -> dict[str, object]:
    return asdict(sizes)


def _scan(scan: Scan) -> dict[str, object]:
    return {
        "kind": scan.kind.value,
        "state": scan.state.value,
        "began": scan.began.isoformat() if scan.began is not None else None,
        "ended": scan.ended.isoformat() if scan.ended is not None else None,
        "percent": scan.percent,
        "errors": scan.errors,
        "vdev": scan.vdev,
    }
