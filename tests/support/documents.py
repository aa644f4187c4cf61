"""Reads the documentation: its tables, its code blocks, and what it mentions.

Blocks of Python run, unless the word `shown` stands behind the language; blocks of bash run where the word `run` does.
What talks to 127.0.0.1:8000 gets a live server in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.support.imports import ROOT

__all__ = ["Block", "blocks", "code_spans", "documents", "mentions", "prose", "table_rows"]

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its document, the line it begins at, its language, the words behind that, and its text."""

    document: Path
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    @property
    def runs(self) -> bool:
        """Whether the block is to be run, not only read."""
        return "shown" not in self.words if self.language == "python" else "run" in self.words

    @property
    def name(self) -> str:
        """Where it stands, for the names of tests."""
        return f"{self.document.relative_to(ROOT).as_posix()}:{self.line}"


def documents() -> list[Path]:
    """Every document for users: those at the top, in docs/ and beside a client."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").glob("*/*.md")]
    return sorted(path for path in found if "node_modules" not in path.parts)


def blocks(*languages: str) -> list[Block]:
    """All fenced blocks in these languages."""
    found = []
    for document in documents():
        text = document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            language, *words = match.group(1).split() or [""]
            if language in languages:
                line = text.count("\n", 0, match.start()) + 1
                found.append(Block(document, line, language, tuple(words), match.group(2)))
    return found


def prose(document: Path) -> str:
    """The text of a document without its fenced blocks."""
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def code_spans(document: Path) -> set[str]:
    """What stands between backticks in the text."""
    return set(re.findall(r"`([^`\n]+)`", prose(document)))


def mentions(pattern: str) -> dict[str, set[str]]:
    """Everything in any document, blocks included, that a pattern finds, with the names of the documents."""
    found: dict[str, set[str]] = {}
    for document in documents():
        for match in re.finditer(pattern, document.read_text(encoding="utf-8")):
            found.setdefault(match.group(1), set()).add(document.relative_to(ROOT).as_posix())
    return found


def table_rows(document: Path, heading: str) -> list[list[str]]:
    """Cells of the first table under a heading, without its head; cells as they are written."""
    text = document.read_text(encoding="utf-8")
    match = re.search(rf"^#+ {re.escape(heading)}\s*$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert match is not None, f"{document.name} has no heading {heading!r}"
    lines: list[str] = []
    for line in match.group(1).splitlines():
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            break
    assert len(lines) > 2, f"{document.name} has no table under {heading!r}"
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]
