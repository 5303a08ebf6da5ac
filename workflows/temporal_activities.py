"""`TemporalPorts` over the worker's own client."""

from __future__ import annotations

from temporalio import activity
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import FailureError
from temporalio.service import RPCError, RPCStatusCode

from controlplane.workflows.messages import HealAnswer
from controlplane.workflows.names import entity_id
from controlplane.workflows.ports import HealDelivery, ScheduleOrder, ScheduleOutcome, TemporalPorts
from controlplane.workflows.schedule import reconcile_schedule
from controlplane.workflows.service import ServiceEntity


class TemporalActivities(TemporalPorts):
    """Schedules and updates; `task_queue` is where scheduled checks run."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    @activity.defn
    async def set_drift_schedule(self, order: ScheduleOrder) -> ScheduleOutcome:
        """Create, change or delete the schedule."""
        return await reconcile_schedule(self._client, self._task_queue, order)

    @activity.defn
    async def request_heal(self, delivery: HealDelivery) -> HealAnswer:
        """Hand the request to the entity; the request id makes a second delivery the same update."""
        entity = self._client.get_workflow_handle_for(
            ServiceEntity.run, entity_id(delivery.cluster, delivery.service)
        )
        try:
            return await entity.execute_update(ServiceEntity.heal, delivery.request, id=delivery.request.request_id)
        except WorkflowUpdateFailedError as error:
            return HealAnswer(refusal=error.cause.message if isinstance(error.cause, FailureError) else str(error))
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return HealAnswer(refusal="the service's entity does not run; apply the service to start it")
            raise
