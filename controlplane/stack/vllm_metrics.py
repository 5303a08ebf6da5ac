"""Prometheus metrics of vLLM, release by release, from the generated `schemas/vllm/metrics.json`.

Asked by the names that a server shows (`vllm:prompt_tokens_total`, `vllm:time_to_first_token_seconds_bucket`), or by
those that Ray Serve LLM gives them on Ray's port (`ray_vllm_prompt_tokens_total`, in older releases
`ray_vllm:prompt_tokens_total`).
"""

from __future__ import annotations

from functools import cache

from controlplane.frozen import frozen
from controlplane.source.suggest import nearest
from controlplane.stack.histories import History, Removal
from controlplane.stack.schema_files import read_schema

_SUFFIXES = {
    "counter": ("_total", "_created"),
    "gauge": ("",),
    "histogram": ("_bucket", "_sum", "_count", "_created"),
    "summary": ("", "_sum", "_count", "_created"),
}
_ANY = ("", "_total", "_bucket", "_sum", "_count", "_created")
_PREFIXES = ("ray_vllm:", "ray_vllm_")


@frozen
class Metric:
    """One metric of one release. `name` is the family's, without the suffix of a counter or histogram.

    `kind` is counter, gauge, histogram, summary, or empty where the source does not say. A `hidden` one is shown only
    with `--show-hidden-metrics-for-version`.
    """

    name: str
    kind: str = ""
    hidden: bool = False

    @property
    def samples(self) -> tuple[str, ...]:
        """The names that a server shows for it."""
        return tuple(self.name + suffix for suffix in _SUFFIXES.get(self.kind, _ANY))


def is_vllm_metric(name: str) -> bool:
    """Whether a name is one of vLLM's, known or not."""
    return name.startswith(("vllm:", *_PREFIXES))


def metric(name: str, version: str) -> Metric | None:
    """The metric of a release that shows a name, or None; ask `metric_known` whether there is a table at all."""
    own = _own(name)
    found = (_metric(family, version) for family in _families(own) if _history().has(family, version))
    return next((metric for metric in found if own in metric.samples), None)


def metric_known(name: str, version: str) -> bool | None:
    """Whether a release shows a name; None where no table tells."""
    if metric(name, version) is not None:
        return True
    return None if None in (_history().has(family, version) for family in _families(_own(name))) else False


def removed_metric(name: str, version: str) -> Removal | None:
    """What became of the metric that showed a name and that `version` no longer has, or None.

    `successor` is the new family's name, to which the same suffix belongs.
    """
    if metric(name, version) is not None:
        return None
    removals = (_history().removal(family, version) for family in _families(_own(name)))
    return next((removal for removal in removals if removal is not None), None)


def nearest_metric(name: str, version: str) -> str | None:
    """The name shown by the release that is spelled most like an unknown one, or None where none is near."""
    families = _history().possible(version) or frozenset()
    return nearest(_own(name), (sample for family in families for sample in _samples(family, version)))


def nearest_of_any_release(name: str) -> str | None:
    """The name that one release or another shows and that a name no release shows is spelled most like, or None."""
    names = _of_all_releases()
    return None if _own(name) in names else nearest(_own(name), names)


@cache
def _of_all_releases() -> frozenset[str]:
    """Names that any release shows, and the families' own."""
    history = _history()
    found = set(history.entries)
    for family in history.entries:
        for version in history.versions:
            found.update(_samples(family, version) if history.has(family, version) else ())
    return frozenset(found)


def _samples(family: str, version: str) -> tuple[str, ...]:
    found = _metric(family, version)
    return found.samples if found.kind else (family,)


def _metric(family: str, version: str) -> Metric:
    facts = _history().facts(family, version)
    return Metric(family, str(facts.get("kind", "")), bool(facts.get("hidden", False)))


def _families(own: str) -> tuple[str, ...]:
    """The families that may show a name: itself, and what is left without a suffix."""
    return tuple(own.removesuffix(suffix) for suffix in _ANY if own.endswith(suffix))


def _own(name: str) -> str:
    """The name as vLLM's own server shows it."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return f"vllm:{name.removeprefix(prefix)}"
    return name


@cache
def _history() -> History:
    content = read_schema("vllm", "metrics.json")
    return History(tuple(content["versions"]), content["metrics"])
