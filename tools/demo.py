"""The main job, end to end, on this machine: what `python3 dev.py demo` runs.

A real API server comes up with the example Fleet's machines, the reference services are planned and rolled out by
Temporal, an object edited by hand is found and healed, and a bad revision returns by itself. Machines and pods are
simulated (kwok); etcd, API server, scheduler, controllers and Temporal are real.

Every step is a `controlplane` command that is printed before it runs. Exits 0 only when each step ended as it should.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCES = ("policies/chat-8b", "policies/llama-70b", "policies/shared-pool")
SANDBOX = "demo"
HEALED_WITHIN_S = 90.0


def main() -> int:
    """Run the story; returns the number of steps that did not end as they should."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="controlplane-demo-") as scratch:
        own = copy_chat(Path(scratch), "drift: {mode: enforce, interval: 10s}")
        bad = copy_chat(Path(scratch) / "bad", "drift: {mode: enforce, interval: 10s}", tag="v0.33.0-does-not-exist")
        steps = [
            come_up(),
            roll_out(own),
            nothing_to_do(own),
            heal(),
            return_from(bad),
        ]
    title("what is there now")
    controlplane("status", "--sandbox", SANDBOX)
    controlplane("history", "llm/chat", "--sandbox", SANDBOX)
    tell_how_to_go_on()
    failed = steps.count(False)
    title(f"{len(steps) - failed} of {len(steps)} steps ended as they should")
    return failed


def come_up() -> bool:
    title("1. a real Kubernetes control plane with the example Fleet's machines (simulated)")
    return controlplane("sandbox", "up", "--name", SANDBOX, "--fleet", "policies") == 0


def roll_out(own: Path) -> bool:
    title("2. the plan, then the rollout by Temporal, service by service")
    say(
        "(chat is a copy of policies/chat-8b with a drift check that heals every 10 s, and a minute for its machines)"
    )
    first = controlplane("plan", str(own), "--sandbox", SANDBOX) == 0
    folders = (str(own), *REFERENCES[1:])
    return first and all(controlplane("apply", folder, "--sandbox", SANDBOX, "--yes") == 0 for folder in folders)


def nothing_to_do(own: Path) -> bool:
    title("3. the same again: nothing to do, nothing written")
    before = resource_versions()
    code = controlplane("apply", str(own), "--sandbox", SANDBOX, "--yes")
    return code == 0 and resource_versions() == before


def heal() -> bool:
    title("4. somebody edits an object by hand; drift is found, and healed by the schedule")
    wanted = image()
    kubectl("-n", "llm", "set", "image", "deployment/chat", "vllm=registry.example/edited-by-hand:v1", show=True)
    found = controlplane("drift", "llm/chat", "--sandbox", SANDBOX) == 1
    say(f"waiting up to {HEALED_WITHIN_S:.0f} s for the next scheduled check")
    healed = await_true(lambda: image() == wanted)
    return healed and controlplane("drift", "llm/chat", "--sandbox", SANDBOX) == 0 and found


def return_from(bad: Path) -> bool:
    title("5. a bad revision: its image cannot be pulled; it returns by itself")
    wanted = image()
    failed = controlplane("apply", str(bad), "--sandbox", SANDBOX, "--yes", "--reason", "a new image") == 1
    return failed and image() == wanted


def copy_chat(folder: Path, rollout: str, *, tag: str = "") -> Path:
    """The chat service with a drift check every ten seconds, so that the demo need not wait for minutes."""
    target = folder / "chat-8b"
    shutil.copytree(ROOT / REFERENCES[0], target)
    policy = target / "chat.yaml"
    text = policy.read_text() + f"  rollout: {{{rollout}, timeouts: {{machines: 1m}}}}\n"
    policy.write_text(text.replace(":v0.33.0", f":{tag}") if tag else text)
    return target


def controlplane(*arguments: str) -> int:
    """Run one command of ours, showing it and everything it says."""
    say("$ controlplane " + " ".join(arguments))
    command = [sys.executable, "-m", "controlplane.cli.main", *arguments]
    return subprocess.run(command, check=False).returncode


def kubectl(*arguments: str, show: bool = False) -> str:
    status = capture(
        sys.executable, "-m", "controlplane.cli.main", "sandbox", "status", "--name", SANDBOX, "--format", "json"
    )
    [sandbox] = json.loads(status)
    if show:
        say("$ kubectl " + " ".join(arguments))
    return capture(sandbox["kubectl"], "--kubeconfig", sandbox["kubeconfig"], *arguments)


def capture(*command: str) -> str:
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def image() -> str:
    return kubectl(
        "-n", "llm", "get", "deployment", "chat", "-o", "jsonpath={.spec.template.spec.containers[0].image}"
    )


def resource_versions() -> str:
    """Of every object that we apply; status writes of the controllers have settled after a rollout."""
    kinds = "namespaces,services,deployments,poddisruptionbudgets,controllerrevisions"
    path = "{range .items[*]}{.kind}/{.metadata.name}={.metadata.resourceVersion} {end}"
    return kubectl("-n", "llm", "get", kinds, "-o", f"jsonpath={path}")


def await_true(condition: Callable[[], bool], every_s: float = 1.0) -> bool:
    deadline = time.monotonic() + HEALED_WITHIN_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(every_s)
    return False


def tell_how_to_go_on() -> None:
    say(f"The sandbox {SANDBOX!r} and the local Temporal service keep running. Look around:")
    say(f"  python3 dev.py run status --sandbox {SANDBOX}")
    say(f"  python3 dev.py run plan policies/llama-70b --sandbox {SANDBOX} --show-foreign")
    say(f"End both: python3 dev.py run sandbox down --name {SANDBOX}; python3 dev.py run service stop")


def title(text: str) -> None:
    print(f"\n== {text}", flush=True)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
