"""YAML nodes: the values of a small file with the line each stands at, so that a refusal can name it.

A subset of YAML: mappings, lists and scalars. Anchors, tags and several documents are refused; nobody needs them in a
file of parameters, and what they would mean there is anybody's guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from orca_crowd.running.refusal import Unusable

__all__ = ["Item", "Scalar", "as_value", "compose", "refuse"]

# a file of parameters is a page; more than this is some other file
MOST_BYTES = 1_000_000
# mappings and lists in each other
DEEPEST = 8
WHOLE = re.compile(r"[-+]?[0-9]+")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True)
class Scalar:
    """A value as it is written; `quoted` where it is a text whatever stands in it."""

    text: str
    line: int
    quoted: bool


@dataclass(frozen=True)
class Item:
    """A member of a mapping: its key, the line of it, and a Scalar, a list of Scalars, or the items of a mapping."""

    key: str
    line: int
    value: Any


def refuse(file: Path, line: int | None, message: str) -> Unusable:
    """The refusal of a file, at a line of it, counted from 1."""
    return Unusable(f"mend {file.name}: {message}" if line is None else f"mend {file.name}: line {line}: {message}")


def compose(file: Path, option: str) -> list[Item]:
    """The items of the mapping that a file is; Unusable with file and line. Keys may come twice, and stand twice here.

    `option` names what the file was given as.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Unusable(f"choose another {option}: {file}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise Unusable(f"choose another {option}: {file.name} has {len(data):,} bytes, which is no file of parameters")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse(file, line, f"must be UTF-8; byte 0x{data[error.start]:02x} is not") from None
    try:
        # events first: composing an alias to what holds it would go round for ever, and a thousand brackets for long
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise refuse(file, event.start_mark.line + 1, "is nested too deeply")
            _check_event(file, event)
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refuse(file, mark.line + 1 if mark else None, f"is no YAML: {error.problem or error.context}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise refuse(file, line, f"must be plain text, {error.character!r} is a control character") from None
    if len(documents) > 1:
        raise refuse(file, documents[1].start_mark.line + 1, "must be one document; here a second one begins")
    if not documents:
        return []
    if not isinstance(documents[0], yaml.MappingNode):
        if isinstance(documents[0], yaml.ScalarNode) and not documents[0].value:
            return []
        raise refuse(file, documents[0].start_mark.line + 1, "must be lines of `key: value`")
    return _items(file, documents[0])


def _check_event(file: Path, event: yaml.Event) -> None:
    """Refuse what is YAML and has no meaning here."""
    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise refuse(file, line, f"must not have anchors (&) and aliases (*), has {event.anchor}")
    if getattr(event, "tag", None) is not None:
        raise refuse(file, line, f"must not have tags, has {event.tag}")


def _items(file: Path, node: yaml.MappingNode) -> list[Item]:
    found = []
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise refuse(file, line, "a key must be a word")
        found.append(Item(key.value, line, _value(file, value)))
    return found


def _value(file: Path, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return Scalar(node.value, node.start_mark.line + 1, node.style is not None)
    if isinstance(node, yaml.SequenceNode):
        return [_value(file, member) for member in node.value]
    assert isinstance(node, yaml.MappingNode)
    return _items(file, node)


def as_value(scalar: Scalar, kind: type) -> Any:
    """The value as a bool, int, float or str; ValueError that says what it must be.

    Read by ourselves and not by YAML's rules, by which `no` is false, `1e3` a text and `010` eight.
    """
    text = scalar.text
    if kind is str:
        return text
    shown = f'"{text}"' if scalar.quoted else text or "nothing"
    if kind is bool:
        if scalar.quoted or text.lower() not in SWITCHES:
            raise ValueError(f"must be true or false, not {shown}")
        return SWITCHES[text.lower()]
    if kind is int:
        # longer than any number that is meant; int() of a huge text is slow
        if scalar.quoted or not WHOLE.fullmatch(text) or len(text) > 20:
            raise ValueError(f"must be a whole number, not {shown[:40]}")
        return int(text)
    if scalar.quoted or not NUMBER.fullmatch(text):
        raise ValueError(f"must be a number, not {shown[:40]}")
    return float(text)
