"""The file behind `vllm serve --config`: YAML whose keys are the names of flags.

vLLM puts its entries on the command line in front of the arguments that stand there, so that these win
(`vllm/utils/argparse_utils.py`, `load_config_file`, 0.33).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from controlplane.source import Dialect, Document, read_embedded_yaml
from controlplane.stack.engine import ArgumentValue, WrittenArgument
from controlplane.stack.facts import Declared, Fact, Known, Unknown, Why
from controlplane.stack.manifest_fields import Field
from controlplane.stack.vllm_arguments import Arguments, Match
from controlplane.stack.vllm_parser import Parsed, parse
from controlplane.stack.words import Word, joined


def read(text: Field, arguments: Arguments) -> Parsed | None:
    """What a configuration file says; None where it is not one map of YAML."""
    document = text.source.document
    if document is None:
        return None
    found = read_embedded_yaml(document, text.path, Dialect.VLLM).documents
    if len(found) != 1 or not isinstance(found[0].value, dict):
        return None
    whole = Parsed()
    for key, value in found[0].value.items():
        if key != "config":
            _merge(whole, _entry(found[0], key, value, arguments))
    return whole


def _entry(document: Document, key: str, value: ArgumentValue, arguments: Arguments) -> Parsed:
    """One key as the flag that vLLM makes of it."""
    if value is False:
        return _false(document, key, arguments)
    flag = Word(f"--{key}", Declared(document.key_span((key,)), (key,)))
    parsed = parse([flag, *_values(document, key, value)], arguments)
    parsed.written = [_as_key(argument, key, document, value) for argument in parsed.written]
    return parsed


def _values(document: Document, key: str, value: ArgumentValue) -> Iterator[Word]:
    origin = Declared(document.span_of((key,)), (key,))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield Word(_text(item), Declared(document.span_of((key, index)), (key, index)))
    elif value is not True:
        yield Word(_text(value), origin)


def _text(value: ArgumentValue) -> str:
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def _as_key(argument: WrittenArgument, key: str, document: Document, value: ArgumentValue) -> WrittenArgument:
    entry = joined(Declared(document.key_span((key,)), (key,)), Declared(document.span_of((key,)), (key,)))
    text = argument.text if value is not True else "true"
    words = (entry,) if entry is not None else ()
    return replace(argument, spelling=key, text=text, words=words, origin=Declared(document.span_of((key,)), (key,)))


def _false(document: Document, key: str, arguments: Arguments) -> Parsed:
    """`key: false`: vLLM 0.33 makes `--no-key` of it where that exists; other releases leave the key out."""
    match = arguments.match(f"--{key}")
    origin = Declared(document.span_of((key,)), (key,))
    written = WrittenArgument(key, match.spelling.name, text="false", abbreviated=match.abbreviated)
    parsed = Parsed(written=[_as_key(written, key, document, False)])
    parsed.written = [
        replace(argument, key_origin=Declared(document.key_span((key,)), (key,))) for argument in parsed.written
    ]
    parsed.arguments[match.spelling.name] = _turned_off(match, origin)
    return parsed


def _turned_off(match: Match, origin: Declared) -> Fact[ArgumentValue]:
    argument = match.spelling.argument
    if argument is not None and argument.default is False:
        return Known(False, origin)
    return Unknown(Why.VERSION, f"a version of vLLM that reads {match.spelling.flag} from a file as false")


def _merge(whole: Parsed, entry: Parsed) -> None:
    for name, fact in entry.arguments.items():
        whole.arguments.pop(name, None)
        whole.arguments[name] = fact
    whole.written += entry.written
    whole.complete = whole.complete and entry.complete
