"""Whatever the server has is in the documentation, and whatever the documentation names is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from orca_core.options import OPTION_MEANINGS, PROFILES
from orca_core.witness import KINDS
from orca_crowd.protocol.codes import CLOSE_CODES, CODES
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.commands import COMMAND_BODIES
from orca_crowd.protocol.frames import SUBPROTOCOLS
from orca_crowd.protocol.stream import CLIENT_MESSAGES, SERVER_MESSAGES
from orca_crowd.protocol.worlds import NewWorld
from orca_crowd.settings import Settings
from tests.support.documents import blocks, code_spans, documents, mentions, table_rows
from tests.support.imports import ROOT, modules
from tests.support.interface import command_options, environment_names, path_template, routes

PROTOCOL = ROOT / "docs" / "protocol.md"
OPTIONS = ROOT / "docs" / "options.md"

# read from the environment, but no settings; named in the documentation all the same
OTHER_VARIABLES = frozenset({"ORCA_CROWD_API_KEY", "ORCA_CROWD_TRACEBACK"})


def plain(cell: str) -> str:
    """A cell without its backticks."""
    return cell.strip("`")


def type_of(model: type[BaseModel]) -> str:
    """The `type` of a message."""
    return str(get_args(model.model_fields["type"].annotation)[0])


def members_of(model: type[BaseModel]) -> list[str]:
    """Members of a message as they travel, `?` behind those that may be left out."""
    return [
        f"`{field.alias or name}`" + ("" if field.is_required() else "?")
        for name, field in model.model_fields.items()
        if name != "type"
    ]


def test_every_route_is_in_the_table_and_every_row_is_a_route() -> None:
    written = {(method, path_template(plain(path))) for method, path, _, _ in table_rows(PROTOCOL, "Routes")}
    assert written == routes() - {("GET", "/")}
    assert "/" in code_spans(PROTOCOL)


def test_no_document_names_a_route_that_is_not_there() -> None:
    paths = {path for _, path in routes()}
    patterns = [re.compile(re.escape(path).replace(r"\{\}", "[^/]+")) for path in paths]
    named = mentions(r"(?<![\w…])(/(?:v1/[\w{}./-]+|healthz|readyz|metrics|openapi\.json|asyncapi\.json))")
    missing = {
        path: where
        for path, where in named.items()
        if not any(pattern.fullmatch(path.rstrip(".")) for pattern in patterns)
    }
    assert missing == {}


def test_every_setting_has_its_row() -> None:
    rows = {plain(name): (default, meaning) for name, default, meaning in table_rows(OPTIONS, "Settings of the server")}
    assert set(rows) == environment_names()
    for name, field in Settings.model_fields.items():
        default, meaning = rows[f"ORCA_CROWD_{name.upper()}"]
        assert meaning == field.description, name
        if field.default_factory is None:
            assert plain(default) == ("none" if field.default is None else str(field.default)), name


def test_no_document_names_a_variable_that_nobody_reads() -> None:
    assert set(mentions(r"\b(ORCA_CROWD_[A-Z_]+)\b")) == environment_names() | OTHER_VARIABLES


def test_every_variable_that_is_read_is_documented() -> None:
    # a constant of this name anywhere in the sources is a variable that somebody may set
    sources = modules(ROOT / "orca_core", "orca_core") + modules(ROOT / "service" / "orca_crowd", "orca_crowd")
    read = {
        name
        for module in sources
        for name in re.findall(r"[\"'](ORCA_CROWD_[A-Z_]+)[\"']", module.path.read_text(encoding="utf-8"))
    } - {"ORCA_CROWD_"}
    assert read <= environment_names() | OTHER_VARIABLES


def test_every_option_of_a_world_has_its_row() -> None:
    switch = {True: "on", False: "off", None: "none"}
    rows = table_rows(OPTIONS, "Options of a world")
    assert [plain(row[0]) for row in rows] == list(OPTION_MEANINGS)
    for name, text, service, meaning in rows:
        for profile, cell in (("text", text), ("service", service)):
            value: Any = getattr(PROFILES[profile], plain(name))
            shown = switch[value] if value is None or isinstance(value, bool) else str(value)
            assert plain(cell) == shown, (name, profile)
        assert meaning == OPTION_MEANINGS[plain(name)]


def test_every_command_and_option_has_its_row() -> None:
    written: dict[str, set[str]] = {}
    current = ""
    for command, option, _ in table_rows(OPTIONS, "The command"):
        current = plain(command) or current
        written.setdefault(current, set()).update({plain(option)} - {""})
    assert written == command_options()


def commands_written() -> list[str]:
    """Every call of the command in any document, and in the Makefile: from its name to the end of the line or span."""
    spans = [span for document in documents() for span in code_spans(document)]
    lines = [line for block in blocks("bash", "sh", "console") for line in block.text.splitlines()]
    lines += (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    found = [re.search(r"(?:^|[\s/])(orca-crowd [a-z].*)", text) for text in [*spans, *lines]]
    return [match.group(1) for match in found if match is not None and not match.group(1).endswith(("'", '"'))]


def test_no_document_names_a_command_or_an_option_that_is_not_there() -> None:
    known = command_options()
    written = commands_written()
    assert any(call.startswith("orca-crowd serve") for call in written)
    wrong = []
    for call in written:
        words = call.split()
        # the longest beginning that is a command: `orca-crowd bench kernel` stands below `orca-crowd bench`
        name = next((" ".join(words[:n]) for n in (3, 2) if " ".join(words[:n]) in known), " ".join(words[:2]))
        options = set(re.findall(r"(?<=\s)--[a-zA-Z-]+", call))
        if name not in known or not options <= known[name]:
            wrong.append(call)
    assert wrong == []


def test_no_document_names_a_target_that_make_does_not_have() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = mentions(r"(?:`|^|\n)(make [a-z]+)(?=[`\s])")
    assert {name: where for name, where in named.items() if name.strip("`\n").split()[1] not in targets} == {}
    assert {"serve", "test"} <= targets


def test_every_error_code_has_its_row() -> None:
    rows = [(int(status), plain(code), meaning) for status, code, meaning in table_rows(PROTOCOL, "Errors")]
    assert rows == [(code.status, name, code.meaning) for name, code in CODES.items()]


def test_every_close_code_has_its_row() -> None:
    rows = [(int(code), meaning) for code, meaning in table_rows(PROTOCOL, "Close codes")]
    assert rows == list(CLOSE_CODES.items())


@pytest.mark.parametrize(
    ("heading", "models"),
    [("From the client", CLIENT_MESSAGES), ("From the server", SERVER_MESSAGES)],
    ids=["client", "server"],
)
def test_every_message_has_its_row(heading: str, models: tuple[type[BaseModel], ...]) -> None:
    rows = {plain(name): members for name, members, _ in table_rows(PROTOCOL, heading)}
    assert rows == {type_of(model): ", ".join(members_of(model)) for model in models}


def test_both_subprotocols_are_named() -> None:
    assert set(SUBPROTOCOLS) <= code_spans(PROTOCOL)


def test_every_field_of_an_agent_has_its_row() -> None:
    assert {plain(row[0]) for row in table_rows(PROTOCOL, "Agents")} == {"id", *FIELDS}


def test_every_member_of_a_world_has_its_row() -> None:
    assert {plain(row[0]) for row in table_rows(PROTOCOL, "Worlds")} == set(NewWorld.model_fields)


def test_every_operation_has_its_row() -> None:
    assert [plain(row[0]) for row in table_rows(PROTOCOL, "Commands")] == list(COMMAND_BODIES)


def literals(pattern: str, folders: tuple[str, ...]) -> set[str]:
    """What the sources name, by a pattern over their text."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            found.update(re.findall(pattern, path.read_text(encoding="utf-8")))
    return found


def test_every_warning_has_its_row() -> None:
    made = literals(r"\bNotice\(\s*\"([a-z-]+)\"", ("orca_core", "service/orca_crowd"))
    assert len(made) > 5
    assert {plain(row[0]) for row in table_rows(PROTOCOL, "Warnings")} == made


def test_every_event_has_its_row() -> None:
    made = literals(r"\"kind\": \"([a-z-]+)\"", ("service/orca_crowd",))
    assert made
    # what guides tell of
    made |= literals(r"Event\(\"([a-z-]+)\"", ("orca_core/guidance",))
    rows = {plain(row[0]) for row in table_rows(PROTOCOL, "Events")}
    assert made | {kind for kind, _ in KINDS} | {"arrived-crowded", "blocked"} == rows


def test_every_link_between_documents_leads_somewhere() -> None:
    broken = []
    for document in documents():
        for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            linked = (document.parent / name).resolve() if name else document
            if not linked.exists() or (anchor and anchor not in anchors(linked)):
                broken.append(f"{document.relative_to(ROOT)}: {target}")
    assert broken == []


def anchors(document: Path) -> set[str]:
    """Anchors of the headings of a document, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
