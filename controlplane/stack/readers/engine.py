"""The vLLM engines that run in a container, if any does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from controlplane.frozen import frozen
from controlplane.stack.config_maps import NamespacedConfigMaps
from controlplane.stack.engine import Engine
from controlplane.stack.environment import Environment, environment_of, expand
from controlplane.stack.facts import ABSENT, Fact, Unknown, Why, value_of
from controlplane.stack.manifest_fields import Field
from controlplane.stack.mounted_files import MountedFiles
from controlplane.stack.pods import Container, EnvVar, Volume
from controlplane.stack.readers import container
from controlplane.stack.shell import commands_of
from controlplane.stack.surroundings import surroundings_of
from controlplane.stack.versions import is_unset_by_image, starts_vllm, vllm_version
from controlplane.stack.vllm_command_line import CommandContext, EngineCommand, read_engines
from controlplane.stack.vllm_likeness import starts_like_vllm
from controlplane.stack.words import MARK, Word, texts, word_of


@frozen
class PodContext:
    """What a container does not say itself.

    Its pod set, the engine's role, the declared version of vLLM, the pod's volumes, and the namespace in which
    ConfigMaps of the same input are looked up. Without `has_entrypoint` what the image starts by itself never runs.
    `injected` are variables that the workload's controller adds.
    """

    pod_set: str
    role: str
    version: Fact[str]
    volumes: tuple[Volume, ...] = ()
    namespace: str = ""
    has_entrypoint: bool = True
    injected: tuple[EnvVar, ...] = ()


def read(manifest: Field, context: PodContext) -> tuple[Container, tuple[Engine, ...]]:
    """A container, and the engines it starts: then the command line is the engines' and not the container's."""
    made = container.read(manifest)
    beside = surroundings_of(manifest)
    version = beside.version("vllm", context.version if context.version != ABSENT else vllm_version(made.image))
    config_maps = NamespacedConfigMaps(beside.config_maps, context.namespace)
    files = MountedFiles(made.mounts, context.volumes, config_maps, manifest["workingDir"].plain_text("/"))
    args = _words(manifest["args"])
    starts_itself = context.has_entrypoint and (starts_vllm(made.image) or starts_like_vllm(made.image, texts(args)))
    around = CommandContext(
        _environment(made, config_maps, context.injected), value_of(version), files, starts_itself
    )
    commands = read_engines(_words(manifest["command"]), args, around)
    if not commands:
        return made, ()
    engines = tuple(_engine(command, made, context, version) for command in commands)
    return replace(made, command=(), args=()), engines


def read_arguments(manifest: Field, made: Container, context: PodContext) -> Engine:
    """The engine of a container whose `args`, and the variable VLLM_ADDITIONAL_ARGS, go behind a `vllm serve`."""
    beside = surroundings_of(manifest)
    version = beside.version("vllm", context.version if context.version != ABSENT else vllm_version(made.image))
    environment = _environment(made, NamespacedConfigMaps(beside.config_maps, context.namespace), context.injected)
    words = [*_additional(manifest, environment), *(_once_unquoted(word) for word in _words(manifest["args"]))]
    start = [Word("vllm"), Word("serve"), Word("/mnt/models", made.origin)]
    (line,) = read_engines(start, words, CommandContext(environment, value_of(version)))
    return _engine(line, made, context, version)


_ADDITIONAL = "VLLM_ADDITIONAL_ARGS"


def _additional(manifest: Field, environment: Environment) -> Sequence[Word]:
    """The words of the variable with further arguments, which the operator's script hands to `eval`."""
    variables = [item for item in manifest["env"].items() if item["name"].value == _ADDITIONAL]
    known = environment.look_up(_ADDITIONAL)
    if known is None:
        return ()
    text = expand(variables[-1]["value"].word(), environment) if variables else known
    commands = commands_of(text if MARK not in known.text else known, environment)
    return commands[0].words if commands else ()


def _once_unquoted(word: Word) -> Word:
    """An argument, which some releases of the operator put through a shell: with quotes its value is not known."""
    flag, equals, value = word.text.partition("=")
    if not set(value or flag) & set("'\"\\$ "):
        return word
    unknown = Unknown(Why.VERSION, "the release of KServe's operator")
    return replace(word, text=f"{flag}={MARK}" if equals else MARK, missing=(unknown,))


def _engine(line: EngineCommand, made: Container, context: PodContext, version: Fact[str]) -> Engine:
    return Engine(
        role=context.role,
        pod_set=context.pod_set,
        container=made.name,
        version=version,
        model=line.model,
        arguments=line.arguments,
        launch=line.launch,
        served_model_name=line.served_model_name,
        complete=line.complete,
        written=line.written,
        alternative=line.alternative,
        behind_entrypoint=line.behind_entrypoint,
        stray=line.stray,
        origin=made.origin,
    )


def _words(words: Field) -> list[Word]:
    """The words of a command; what is no text has been found already when the container was read."""
    if not isinstance(words.value, list):
        return []
    strange = word_of(Unknown(Why.UNRESOLVED, "a text"))
    return [word.word() if isinstance(word.value, str) else strange for word in words.items()]


def _environment(made: Container, config_maps: NamespacedConfigMaps, injected: tuple[EnvVar, ...]) -> Environment:
    """The variables of a container, with those that ConfigMaps of the same input bring in."""
    brought, unseen = _brought_in(made, config_maps)

    def text(name: str, key: str) -> Fact[str]:
        data = config_maps.data(name)
        return data[key].literal() if data is not None and key in data else Unknown(Why.RUNTIME)

    found = environment_of((*injected, *made.env), open_ended=unseen, brought_in=brought, config=text)
    return replace(found, unset=is_unset_by_image(made.image))


def _brought_in(made: Container, config_maps: NamespacedConfigMaps) -> tuple[Mapping[str, Word], bool]:
    """What `envFrom` brings in from ConfigMaps of the same input, and whether it brings in what cannot be seen."""
    found: dict[str, Word] = {}
    unseen = False
    for source in made.env_from:
        data = config_maps.data(source.name) if source.kind == "ConfigMap" else None
        unseen = unseen or data is None
        found |= {f"{source.prefix}{key}": text.word() for key, text in (data or {}).items()}
    return found, unseen
