"""What the rules say of a design, as a part of its report."""

from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.emit.report_blocks import Block, Bullets, ReportHeading, TextTone, Words, paragraph
from poolwright.texts import marked, tell, tell_counted

_TONES = {Severity.BLOCK: TextTone.BLOCK, Severity.WARN: TextTone.WARN, Severity.NOTE: TextTone.NOTE}
_WORDS = {Severity.BLOCK: marked("Blocks"), Severity.WARN: marked("Warning"), Severity.NOTE: marked("Note")}


def findings_blocks(findings: tuple[Finding, ...] | None) -> list[Block]:
    """Return what speaks against the design, the weightiest first, and what the rules cannot tell."""
    blocks: list[Block] = [ReportHeading(text=tell("What the rules say"))]
    if findings is None:
        return [*blocks, paragraph(tell("The rules were not asked."), TextTone.MUTED)]
    violated = [finding for finding in findings if finding.outcome is Outcome.VIOLATED]
    unsure = [finding for finding in findings if finding.outcome is Outcome.CANNOT_TELL]
    holds = sum(finding.outcome is Outcome.HOLDS for finding in findings)
    if not violated:
        blocks.append(paragraph(tell("No rule speaks against this design."), TextTone.OK))
    for severity in Severity:
        items = tuple(_finding(finding) for finding in violated if finding.severity is severity)
        if items:
            blocks.append(Bullets(items=items))
    if unsure:
        blocks.append(ReportHeading(text=tell("Rules that cannot tell"), level=3))
        items = tuple(
            Words(text=f"{f.title} ({tell(f.subject)})", small=tell("not known: {facts}", facts=", ".join(f.missing)))
            for f in unsure
        )
        blocks.append(Bullets(items=items))
    blocks.append(
        paragraph(
            tell_counted("{count} answers agree with the design.", "{count} answers agree with the design.", holds),
            TextTone.MUTED,
        )
    )
    return blocks


def _finding(finding: Finding) -> Words:
    sources = "; ".join(dict.fromkeys(f"{tell(s.kind)}: {tell(s.ref)}" for s in finding.sources))
    small = " ".join(
        part
        for part in (
            tell("Why: {why}", why=finding.why) if finding.why else "",
            tell("Advice: {advice}", advice=finding.advice) if finding.advice else "",
            _rule_words(finding),
            tell("Source: {sources}.", sources=sources) if sources else "",
        )
        if part
    )
    text = f"{tell(_WORDS[finding.severity])}: {finding.text}"
    return Words(text=text, tone=_TONES[finding.severity], strong=finding.severity is not Severity.NOTE, small=small)


def _rule_words(finding: Finding) -> str:
    rule, basis = finding.rule_id, tell(finding.basis)
    if finding.users_own:
        return tell("Rule {rule} ({basis}), your own.", rule=rule, basis=basis)
    return tell("Rule {rule} ({basis}).", rule=rule, basis=basis)
