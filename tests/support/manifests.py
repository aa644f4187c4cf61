"""Manifests and the Dockerfile, read for the checks that compare them with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.support.imports import ROOT

__all__ = ["DOCKER", "KUBERNETES", "instructions", "manifests", "of_kind"]

DOCKER = ROOT / "docker"
KUBERNETES = DOCKER / "kubernetes"


def instructions(text: str) -> list[tuple[str, str]]:
    """Every instruction of a Dockerfile with its arguments on one line; comments are left out."""
    plain = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    joined = re.sub(r"\\\n\s*", "", plain)
    return [(word, rest.strip()) for word, rest in re.findall(r"^([A-Z]+)[ \t]+(.*)$", joined, re.MULTILINE)]


def manifests(folder: Path = KUBERNETES) -> list[dict[str, Any]]:
    """Every document of every file that the kustomization lists."""
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    return [document for name in listed for document in yaml.safe_load_all((folder / name).read_text(encoding="utf-8"))]


def of_kind(kind: str) -> dict[str, Any]:
    """The one manifest of a kind."""
    (found,) = [document for document in manifests() if document["kind"] == kind]
    return found
