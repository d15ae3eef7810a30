"""What `poolwright recommend` answers as one JSON document: the ranking, the design in full, what was understood."""

import argparse
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.own_layout import evaluate_possible, findings_to_show, missed_wishes
from poolwright.cli.pool_numbers import capacity_document, host_advice_document, predictions_document, risk_document
from poolwright.cli.ranking import asked_of_log, cost_of_candidate
from poolwright.cli.recommend import Recommended
from poolwright.cli.workload_options import read_back
from poolwright.design.candidate import Candidate, DataPool, Recommendation, plan_words
from poolwright.design.explanations import told_lines
from poolwright.design.plan import CandidatePool
from poolwright.design.request import Request
from poolwright.design.support import beside_words
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.encryption import kept_words
from poolwright.domain.finding import Finding
from poolwright.domain.host import Inventory
from poolwright.domain.inheritance import Resolver
from poolwright.domain.vdev import describe
from poolwright.judging import advice_for, finder_with_predictions
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import DEFAULTS_OF, Cost, price_of_reads
from poolwright.rules.rulebook import RuleBook

if TYPE_CHECKING:
    from poolwright.design.evaluate import Evaluation
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup


def document(answer: Recommended, args: argparse.Namespace) -> dict[str, object]:
    request, design, refused, book = answer.request, answer.design, answer.refused, answer.book
    if answer.recommendation is not None:
        found = _ranking(answer.recommendation, request, book, args.top)
    else:
        found = json_of(
            request, "goal=workload.goal ashift@ zfs=version disks@ candidates@ notes@",
            ashift=design.ashift, disks=len(request.disks), candidates=[],
            notes=[] if refused is None else [refused.text, *refused.reasons],
        )  # fmt: skip
    if answer.candidate is None:
        found["own"] = own_layout(evaluate_possible(design, book))
    found |= json_of(
        answer,
        "taken@ pool=design.pool_name flash_beside@ reserve@ ram_bytes=request.host.ram_bytes properties@ "
        "findings_by_hand@ keys_to_keep@ host_advice@ synchronous_writes@ understood@",
        taken=None if answer.candidate is None else answer.place,
        flash_beside=answer.flash and beside_words(*answer.flash),
        reserve=list(map(str, design.reserve)),
        properties=_properties(design, book),
        findings_by_hand=list(map(_finding, answer.by_hand)),
        keys_to_keep=kept_words(design),
        host_advice=host_advice_document(advice_for(book, design)),
        synchronous_writes=_synclog(asked_of_log(design)),
        understood=_understood(args, request, answer.inventory),
    )
    if answer.changed is not None:
        found["changes"] = json_list(
            answer.changed,
            "input said description=choice.words usable_bytes=choice.measures.usable_bytes "
            "failures_survived=choice.measures.failures_survived",
        )
    return found


def _understood(args: argparse.Namespace, request: Request, inventory: Inventory) -> dict[str, object]:
    found: dict[str, object] = {field: value for _line, field, value in read_back(args, request)}
    return {**found, "disks": [note.text for note in inventory.notes]} if args.disks else found


_NAMED = "layout=main.layout description=words score:3 usable_bytes=measures.usable_bytes"  # for machines
_MISSED = "missed[text share:6]"  # for machines


def _ranking(recommendation: Recommendation, request: Request, book: RuleBook, top: int) -> dict[str, object]:
    find = finder_with_predictions(book, request, request.host)
    return json_of(
        recommendation,
        "goal ashift zfs@ disks@ examined searched left_out "
        # What the flash drives without a place are worth beside the first choice.
        "roles@roles[role verdict because risks missing] feasible told@ "
        f"as_good[{_NAMED}] decided_by? near[{_NAMED} {_MISSED}] reach[more_disks=disks description=words size_bytes] "
        "answers[name layout=candidate.main.layout description=candidate.words score:3=candidate.score "
        "usable_bytes=candidate.measures.usable_bytes place@ price?=trade_off] candidates@ "
        "rejected[family reason layout score:3 rule=rule_id feasible] notes=notes.text "
        # In no OpenZFS release: no candidates.
        "anyraid_preview=anyraid[vdev=word failures_survived=survives tile_bytes usable_bytes "
        "released_whole_disks_bytes=whole_bytes released_partitions_bytes=cut_bytes]",
        zfs=request.version,
        disks=len(request.disks),
        roles=() if recommendation.roles is None else recommendation.roles.judgements,
        told=told_lines(recommendation),
        place=lambda answer: recommendation.rank_of(answer.candidate),
        candidates=[_candidate(c, request, find(c)) for c in recommendation.candidates[:top]],
    )


def _candidate(candidate: Candidate, request: Request, findings: tuple[Finding, ...]) -> dict[str, object]:
    return json_of(
        candidate,
        "layout=main.layout description=words way family disk_size_bytes@ pools@ below "
        f"{_MISSED} score:3 score_terms=terms[name title points:3 weight value:6 why] capacity@ "
        "failures_survived=measures.failures_survived survival@ spares=spare_count unassigned "
        "unused_of_the_medium=idle_disks stranded_bytes idle_bytes cost@ predictions@ "
        "risk@ yearly_loss_any_pool:g=measures.any_disk_loss "
        "yearly_loss_any_pool_with_other_causes:g=measures.any_loss findings@",
        disk_size_bytes=candidate.main.layout[0].sizes[0],
        pools=[_data_pool(part, pool) for part, pool in zip(candidate.of_data, candidate.pools, strict=False)]
        or [_pool(pool, candidate.main.copies if pool is candidate.main else 1) for pool in candidate.pools],
        capacity=capacity_document(candidate.main.capacity)
        | {"usable_bytes_all_pools": candidate.measures.usable_bytes},
        survival=[round(share, 6) for share in candidate.survival],
        cost=_cost(cost_of_candidate(candidate, request), candidate.measures.pool_count, candidate.predictions),
        predictions=predictions_document(candidate.predictions),
        risk=risk_document(candidate.predictions.risk),
        findings=list(map(_finding, findings)),
    )


def _pool(pool: CandidatePool, count: int) -> dict[str, object]:
    return json_of(
        pool, "layout description@ purpose=plan.purpose count@ usable_bytes failures_survived=plan.failures_survived",
        description=plan_words(pool.plan, pool.medium), count=count,
    )  # fmt: skip


def _data_pool(part: DataPool, pool: CandidatePool) -> dict[str, object]:
    told = json_of(
        part,
        "data=workload.uses goal=workload.goal spares=candidate.spare_count predictions@ "
        "yearly_loss:g=candidate.measures.any_disk_loss yearly_loss_with_other_causes:g=candidate.measures.any_loss",
        predictions=predictions_document(part.candidate.predictions),
    )
    return {**_pool(pool, 1), **told}


def _finding(finding: Finding) -> dict[str, object]:
    return json_of(
        finding, "rule=rule_id title severity outcome subject text why advice facts[name value origin] missing sources"
    )


def own_layout(found: "Evaluation") -> dict[str, object]:
    design = found.design
    assert found.main.capacity is not None
    expected = found.main.expected
    return json_of(
        found,
        "layout@ description@ capacity@ failures_survived=survived spares predictions@ risk@ cost@ "
        "yearly_loss_any_pool:g@lost yearly_loss_any_pool_with_other_causes:g@lost_by_any findings@ wishes_missed@ "
        "disks@",
        layout=design.layout(),
        description=describe(design.layout()),
        capacity={**capacity_document(found.main.capacity), "usable_bytes_all_pools": found.usable_bytes},
        predictions=expected and predictions_document(expected),
        risk=expected and risk_document(expected.risk),
        cost=found.cost and expected and _cost(found.cost, len(found.pools), expected),
        lost=(risk := found.risk) and risk.disk_probability,
        lost_by_any=risk and risk.probability,
        findings=list(map(_finding, findings_to_show(found.findings))),
        wishes_missed=missed_wishes(found),
        disks=[{"vdev": n, "disk": member.disk_key} for n, vdev in enumerate(design.vdevs) for member in vdev.members],
    )


def _properties(design: Design, book: RuleBook) -> dict[str, object]:
    """Return the settings of all datasets; of a ``default`` no command says it, for OpenZFS does so by itself."""
    root = next((dataset for dataset in design.datasets if not dataset.name), Dataset(name=""))
    resolver = Resolver(design)

    def of(settings: Iterable[Setting], written: Collection[Setting]) -> list[dict[str, object]]:
        return json_list(
            settings,
            "name value default@ reason rule=rule_id sources@",
            default=lambda setting: setting not in written,
            sources=lambda setting: rule.sources if (rule := book.rule(setting.rule_id or "")) else (),
        )

    return json_of(
        design,
        "ashift pool@ root@ datasets@datasets[name volume_bytes settings@] further_pools@",
        pool=of(design.pool_settings, design.pool_settings),
        root=of(root.settings, resolver.written(root)),
        datasets=[dataset for dataset in design.datasets if dataset.name],
        settings=lambda dataset: of(dataset.settings, resolver.written(dataset)),
        further_pools=[{"pool_name": pool.pool_name, **_properties(pool, book)} for pool in design.pools()[1:]],
    )


def _synclog(found: "tuple[Setup, tuple[Advice, ...]] | None") -> dict[str, object] | None:
    if found is None:
        return None
    setup, advice = found
    return json_of(
        setup,
        "volumes disks requests_per_sync block_size_bytes=block_bytes log_device@ disk_origin=disk.origin "
        "advice@advice[subject title text done sources]",
        log_device=setup.log is not None,
        advice=advice,
    )


def _cost(cost: Cost, pools: int, expected: Assessment) -> dict[str, object]:
    """Return a cost: what is paid is exact, what is predicted over the years has a band."""
    return json_of(
        cost,
        "purchase per_usable_tb per_1000_random_reads@ random_read_bytes@ currency=purchase.currency "
        "prices=groups[count model size_bytes price priced_on=price_origin.when from=price_origin.source at_hand] "
        "problem? price_origin=purchase_origin years defaults_of@ energy_kwh power power_currency "
        "replacement_disks=replacements replacements=replacement total",
        random_read_bytes=expected.load.asked_bytes,
        per_1000_random_reads=price_of_reads(cost, expected.speed.rand_read_iops) if pools == 1 else None,
        defaults_of=DEFAULTS_OF,
    )
