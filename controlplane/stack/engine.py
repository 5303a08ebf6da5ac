"""A vLLM engine as declared: its version, its model and its arguments, by their canonical names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.facts import ABSENT, Fact, Known, Origin
from controlplane.stack.pods import EnvVar

ArgumentValue = str | int | float | bool | None | list["ArgumentValue"] | dict[str, "ArgumentValue"]
"""The value of an engine argument: a scalar, or the parsed form of a list or JSON argument."""


@frozen
class WrittenArgument:
    """An argument as somebody wrote it, known to the version or not.

    `spelling` is the flag (`--swap-space`) or the key of `engine_kwargs` or of a config file (`swap_space`), without
    its value; `name` the canonical name it is read as. `key_origin` is the place of the flag or key, `origin` that of
    the value (the flag's for a switch). `text` is the value as written, None where there is none or it is not known.
    `negated` for `--no-x`; `abbreviated` where argparse completed it.

    `words` are the whole words that have to go to take the argument out, quotes included. They are empty, and
    `verbatim` False, where a variable or an alias brings the argument in, so that nothing there may be edited.

    `blank` is the place of the blank between a flag and its value that are one word (`"--port 80"`), which vLLM's
    parser does not divide: such an argument is read as it is meant. `alone`: nothing that could be a value follows.
    """

    spelling: str
    name: str
    key_origin: Origin | None = field(default=None, compare=False)
    origin: Origin | None = field(default=None, compare=False)
    negated: bool = False
    abbreviated: bool = False
    words: tuple[Origin, ...] = field(default=(), compare=False)
    text: str | None = None
    verbatim: bool = True
    blank: Origin | None = field(default=None, compare=False)
    alone: bool = field(default=False, compare=False)


@frozen
class Engine:
    """One vLLM engine.

    `role` names it inside its workload ("engine", "prefill", "decode", ...). `arguments` maps canonical names
    (`tensor_parallel_size`) to values; the model is not among them. `pod_set` and `container` say where it runs.
    `launch` is what starts it, empty when the image's entrypoint does. `complete` is False when part of the command
    line could not be read, so that an argument which is not listed may be set all the same.

    An engine that Ray Serve LLM starts has no pod set of its own and no container: `serve_deployment` names its
    application and deployment, and its arguments are `engine_kwargs`. `accelerator_type` is LLMConfig's.
    `written` are the arguments in the order of the text, repeated and unknown ones included. `origin` is the place
    of what starts it: the container's name, or the model's in an LLMConfig. `alternative`: it is not certain that it
    runs beside the other engines of its container, as with two branches of a script. `variables` are those that a
    runtime environment of Ray gives it, over those of its pods. `stray` are words of the command line that belong to
    no argument and are not the model. `behind_entrypoint`: the container has no command, so that what starts the
    engine stands among the arguments of an image whose entrypoint is named like vLLM's own server.

    `checkpoint` is the name on the hub of what a policy serves from a folder, and `weights` the bytes that it says
    the checkpoint's files have; manifests tell neither.
    """

    role: str
    pod_set: str
    container: str
    version: Fact[str]
    model: Fact[str]
    arguments: Mapping[str, Fact[ArgumentValue]] = field(default_factory=dict)
    launch: tuple[str, ...] = ("vllm", "serve")
    served_model_name: Fact[str] = ABSENT
    complete: bool = True
    serve_deployment: tuple[str, str] = ("", "")
    accelerator_type: Fact[str] = ABSENT
    written: tuple[WrittenArgument, ...] = field(default=(), compare=False)
    alternative: bool = field(default=False, compare=False)
    behind_entrypoint: bool = field(default=False, compare=False)
    variables: tuple[EnvVar, ...] = field(default=(), compare=False)
    stray: tuple[Known[str], ...] = field(default=(), compare=False)
    checkpoint: str = field(default="", compare=False)
    weights: Fact[int] = field(default=ABSENT, compare=False)
    origin: Origin | None = field(default=None, compare=False)
