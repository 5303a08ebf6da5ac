"""One drift check of one service, started by the service's schedule."""

from __future__ import annotations

from dataclasses import dataclass

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from controlplane.workflows.gates import told
    from controlplane.workflows.messages import (
        NO_REVISION,
        DriftMode,
        DriftReport,
        DriftSummary,
        HealRequest,
    )
    from controlplane.workflows.names import entity_id
    from controlplane.workflows.patience import read_options
    from controlplane.workflows.ports import ClusterPorts, DriftCheckInput, HealDelivery, TemporalPorts

from controlplane.workflows.service import ServiceEntity

_API_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class DriftCheckResult:
    """What a check found and what came of it."""

    report: DriftReport
    handled: str


def _handled(report: DriftReport) -> str:
    """What is said of a report when nothing is healed. What could not be compared may have drifted all the same."""
    unclear = f"{len(report.unclear)} not compared: {report.unclear[0]}" if report.unclear else ""
    if report.total:
        return f"reported; {unclear}" if unclear else "reported"
    return unclear or "nothing to do"


@workflow.defn
class DriftCheck:
    """Compare, tell the entity, and in mode enforce ask it to heal: the entity is the lock."""

    @workflow.run
    async def run(self, check: DriftCheckInput) -> DriftCheckResult:
        """Returns what was found and what came of it."""
        options = read_options(_API_PATIENCE_S)
        try:
            report = await workflow.execute_activity_method(ClusterPorts.check_drift, check, **options)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            # Told to the entity, so that an old "none" is not taken for news.
            report = DriftReport(NO_REVISION, unclear=(f"the check failed: {told(error)}",))
        reported = await self._tell(check, report)
        if not report.total or check.mode is not DriftMode.ENFORCE:
            return DriftCheckResult(report, reported)
        request = HealRequest(workflow.info().workflow_id, report)
        delivery = HealDelivery(check.cluster, check.service, request)
        answer = await workflow.execute_activity_method(TemporalPorts.request_heal, delivery, **options)
        return DriftCheckResult(report, answer.refusal or f"healed {len(answer.healed)} objects")

    async def _tell(self, check: DriftCheckInput, report: DriftReport) -> str:
        handled = _handled(report)
        summary = DriftSummary(workflow.now().timestamp(), report.revision, report.total, report.fields, handled)
        entity = workflow.get_external_workflow_handle_for(ServiceEntity.run, entity_id(check.cluster, check.service))
        try:
            await entity.signal(ServiceEntity.drift_checked, summary)
        except ApplicationError:
            # The entity's history is gone (a new Temporal, say); the next apply makes it again.
            return f"{handled}, but the service's entity does not run"
        return handled
