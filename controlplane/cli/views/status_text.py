"""Services as they are, for people."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.cli.service_status import ServiceStatus
from controlplane.cli.terminal import paint, printable
from controlplane.cli.views.rollout_text import layer_line


def render(services: Sequence[ServiceStatus], *, colour: bool, notes: Sequence[str] = ()) -> str:
    """One block a service, then what is not known."""
    blocks = [_service(each, colour=colour) for each in services]
    return "\n".join([*blocks, *(f"note: {note}" for note in notes)])


def _service(status: ServiceStatus, *, colour: bool) -> str:
    word = paint("healthy", "green", colour=colour) if status.healthy else paint("not healthy", "red", colour=colour)
    lines = [f"{paint(status.service, 'bold', colour=colour)}: {word}, {_revision(status)}"]
    lines += [f"  {layer_line(layer)}" for layer in status.layers]
    if status.in_flight:
        lines.append(f"  rolling out {printable(status.in_flight)}")
    if status.drift_mode:
        lines.append(f"  drift ({status.drift_mode}): {printable(status.drift) or 'not checked yet'}")
    return "\n".join(lines)


def _revision(status: ServiceStatus) -> str:
    if not status.revision:
        return "no revision was ever good"
    return f"revision {status.revision}, good since {status.good_since}"
