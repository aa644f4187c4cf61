"""Linters of others over the Dockerfile, the compose file and the manifests; each of them also finds a fault."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.imports import ROOT
from tests.support.manifests import DOCKER, KUBERNETES

TOOLS = Path(sys.executable).parent
MANIFESTS = sorted(path for path in KUBERNETES.glob("*.yaml") if path.name != "kustomization.yaml")


def lint(tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a linter; nothing is asked over the network."""
    command = [str(TOOLS / tool), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_the_dockerfile() -> None:
    done = lint("hadolint", DOCKER / "Dockerfile")
    assert done.returncode == 0, done.stdout


def test_every_yaml_file() -> None:
    done = lint("yamllint", "--strict", "docker", "docs")
    assert done.returncode == 0, done.stdout


def test_the_compose_file() -> None:
    done = lint("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / "compose.yml")
    assert done.returncode == 0, done.stdout


def test_the_manifests() -> None:
    assert len(MANIFESTS) >= 6
    done = lint("kubernetes-validate", "--strict", *MANIFESTS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("tool", "options", "name", "text"),
    [
        ("hadolint", [], "Dockerfile", "FROM debian:bookworm\nRUN cd / && apt-get install python3\n"),
        ("yamllint", ["--strict"], "a.yaml", "a: 1\na: 2\n"),
        (
            "check-jsonschema",
            ["--builtin-schema", "vendor.compose-spec"],
            "compose.yml",
            "services: {server: {image: a, reads_only: true}}\n",
        ),
        (
            "kubernetes-validate",
            ["--strict"],
            "service.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{prot: 8000}]}\n",
        ),
    ],
)
def test_a_fault_is_found(tool: str, options: list[str], name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert lint(tool, *options, tmp_path / name).returncode != 0
