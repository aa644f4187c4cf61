"""The manifests of a cluster with its journals in a store: those of a cluster, and no file system that is shared."""

from __future__ import annotations

import shutil
import subprocess
from copy import deepcopy
from typing import Any

import pytest
import yaml

from orca_crowd.settings import Settings
from tests.docker.test_kubernetes_ray import DOCUMENTS, RAY, SERVER, of_kind
from tests.support.imports import ROOT
from tests.support.manifests import KUBERNETES

FOLDER = KUBERNETES / "ray-s3"
LISTED: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def test_the_kustomization_lists_every_file() -> None:
    files = {path.name for path in FOLDER.iterdir()} - {"kustomization.yaml"}
    assert {patch["path"] for patch in LISTED["patches"]} == files
    assert LISTED["resources"] == ["../ray"]
    (target,) = [patch["target"] for patch in LISTED["patches"] if "target" in patch]
    assert (target["kind"], target["name"]) == (RAY["kind"], RAY["metadata"]["name"])


def patched(document: dict[str, Any], operations: list[dict[str, Any]]) -> dict[str, Any]:
    """A JSON patch of operations on members and on places that are there."""
    made = deepcopy(document)
    for each in operations:
        *steps, last = each["path"].strip("/").split("/")
        inside: Any = made
        for step in steps:
            inside = inside[int(step) if isinstance(inside, list) else step]
        place = int(last) if isinstance(inside, list) else last
        if each["op"] == "test":
            assert inside[place] == each["value"], each["path"]
        elif each["op"] == "remove":
            del inside[place]
        else:
            assert each["op"] == "add"
            inside[place] = each["value"]
    return made


def test_machines_of_worlds_know_the_store_and_share_no_volume() -> None:
    cluster = patched(RAY, read("raycluster.yaml"))
    assert "persistentVolumeClaim" not in str(cluster)
    (group,) = cluster["spec"]["workerGroupSpecs"]
    pod = group["template"]["spec"]
    (container,) = pod["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    (source,) = container["envFrom"]
    name = source["secretRef"]["name"]
    assert f"secret generic {name}" in (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
    # front ends have the same ones
    (server,) = read("deployment.yaml")["spec"]["template"]["spec"]["containers"]
    assert server["envFrom"] == container["envFrom"]


def test_front_ends_say_where_journals_are() -> None:
    spec = read("deployment.yaml")["spec"]["template"]["spec"]
    (server,) = spec["containers"]
    assert server["name"] == SERVER["name"]
    (data,) = server["env"]
    assert data["name"] in {entry["name"] for entry in SERVER["env"]}
    assert Settings(engine="ray", data=data["value"]).store == data["value"]
    # what is taken away is there otherwise
    (gone,) = server["volumeMounts"]
    assert gone["mountPath"] in {mount["mountPath"] for mount in SERVER["volumeMounts"]}
    (volume,) = spec["volumes"]
    (claim,) = of_kind("PersistentVolumeClaim")
    assert read("persistentvolumeclaim.yaml")["metadata"]["name"] == claim["metadata"]["name"]
    assert volume["name"] == "data"


def test_kustomize_makes_them() -> None:
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    done = subprocess.run([program, "kustomize", FOLDER], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    made = sorted(each["kind"] for each in yaml.safe_load_all(done.stdout))
    assert made == sorted(each["kind"] for each in DOCUMENTS if each["kind"] != "PersistentVolumeClaim")
    assert "claimName" not in done.stdout
