"""The manifests of a cluster: what KubeRay starts fits what Ray and the server have, and nobody else gets in."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from orca_crowd.settings import Settings
from tests.docker.test_lint import lint
from tests.support.imports import ROOT
from tests.support.interface import environment_names, routes
from tests.support.manifests import DOCKER, KUBERNETES, instructions, manifests

FOLDER = KUBERNETES / "ray"
DOCUMENTS = manifests(FOLDER)
RAY = next(document for document in DOCUMENTS if document["kind"] == "RayCluster")
HEAD: dict[str, Any] = RAY["spec"]["headGroupSpec"]["template"]
(WORLDS,) = [group["template"] for group in RAY["spec"]["workerGroupSpecs"]]
DEPLOYMENT = next(document for document in DOCUMENTS if document["kind"] == "Deployment")
FRONT: dict[str, Any] = DEPLOYMENT["spec"]["template"]
PODS = {"head": HEAD, "worlds": WORLDS, "front end": FRONT}
SERVER, NODE = FRONT["spec"]["containers"]
RAYS = [HEAD["spec"]["containers"][0], WORLDS["spec"]["containers"][0], NODE]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [document for document in DOCUMENTS if document["kind"] == kind]


def flags(container: dict[str, Any]) -> dict[str, str]:
    """The options of `ray start`."""
    program, verb, *options = container["command"]
    assert (program, verb) == ("/opt/orca-crowd/bin/ray", "start")
    return {name: value for name, _, value in (option.partition("=") for option in options)}


def test_the_kustomization_lists_every_file() -> None:
    text = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
    files = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert {*text["resources"], *text["configurations"]} == files
    assert text["namespace"] == of_kind("Namespace")[0]["metadata"]["name"]
    assert of_kind("Namespace") == [yaml.safe_load((KUBERNETES / "namespace.yaml").read_text(encoding="utf-8"))]
    # every image by the one name that it gives another one
    images = {container["image"] for pod in PODS.values() for container in pod["spec"]["containers"]}
    assert images == {image["name"] for image in text["images"]}
    paths = yaml.safe_load((FOLDER / "raycluster-images.yaml").read_text(encoding="utf-8"))["images"]
    assert {entry["kind"] for entry in paths} == {RAY["kind"]}


def plain() -> Iterator[dict[str, Any]]:
    """What Kubernetes itself knows, pods of KubeRay by themselves."""
    yield from (document for document in DOCUMENTS if document["kind"] != "RayCluster")
    for name, pod in PODS.items():
        metadata = {"name": name.replace(" ", "-"), "labels": pod["metadata"]["labels"]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"]}


def test_kubernetes_takes_them(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(yaml.safe_dump_all(plain()), encoding="utf-8")
    done = lint("kubernetes-validate", "--strict", file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_pod_keeps_to_the_restricted_standard() -> None:
    user = next(rest for word, rest in instructions((DOCKER / "Dockerfile").read_text("utf-8")) if word == "USER")
    for pod in PODS.values():
        spec, security = pod["spec"], pod["spec"]["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        assert user == f"{security['runAsUser']}:{security['runAsGroup']}"
        assert spec["automountServiceAccountToken"] is False
        assert spec["serviceAccountName"] == of_kind("ServiceAccount")[0]["metadata"]["name"]
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted <= {volume["name"] for volume in spec["volumes"]}
            # where Ray keeps its sockets and its objects
            assert {"/tmp", "/dev/shm"} <= {mount["mountPath"] for mount in container["volumeMounts"]}


def test_everybody_has_the_token_and_reports_to_nobody() -> None:
    for container in [*RAYS, SERVER]:
        variables = {entry["name"]: entry for entry in container["env"]}
        assert variables["RAY_AUTH_MODE"]["value"] == "token"
        secret = variables["RAY_AUTH_TOKEN"]["valueFrom"]["secretKeyRef"]
        assert secret == {"name": "orca-crowd-ray", "key": "auth_token"}
        assert variables["RAY_USAGE_STATS_ENABLED"]["value"] == "0"
        assert variables["HOME"]["value"] == "/tmp"
        ours = {name for name in variables if name.startswith("ORCA_CROWD_")}
        assert ours <= environment_names()
    assert f"secret generic {secret['name']}" in (ROOT / "docs/deployment.md").read_text(encoding="utf-8")


def test_nodes_of_ray_are_started_with_what_they_have() -> None:
    assert RAY["metadata"]["annotations"] == {"ray.io/overwrite-container-cmd": "true"}
    head, worlds, front = map(flags, RAYS)
    assert head["--num-cpus"] == front["--num-cpus"] == "0"
    limits = WORLDS["spec"]["containers"][0]["resources"]["limits"]
    assert worlds["--num-cpus"] == limits["cpu"]
    port = head["--port"]
    assert worlds["--address"].endswith(f":{port}")
    # the name of the Service that KubeRay makes
    assert front["--address"] == f"{RAY['metadata']['name']}-head-svc:{port}"
    assert HEAD["spec"]["containers"][0]["livenessProbe"]["tcpSocket"]["port"] == int(port)
    assert WORLDS["spec"]["containers"][0]["livenessProbe"]["tcpSocket"]["port"] == int(worlds["--node-manager-port"])
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert f"ray=={RAY['spec']['rayVersion']}\n" in pins
    for container in RAYS:
        assert "--disable-usage-stats" in flags(container)
        # no shell in between, so signals and the end of Ray are those of the container
        assert "--block" in flags(container)


@pytest.mark.ray
def test_ray_knows_the_options() -> None:
    if find_spec("ray") is None:
        pytest.skip("ray is not installed")
    command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    known = set(re.findall(r"--[a-z-]+", text))
    assert {name for container in RAYS for name in flags(container)} <= known


def test_front_ends_are_asked_for_what_is_there() -> None:
    variables = {entry["name"]: entry.get("value") for entry in SERVER["env"]}
    assert variables["ORCA_CROWD_ENGINE"] == "ray"
    (port,) = SERVER["ports"]
    assert port["containerPort"] == Settings.model_fields["port"].default
    for probe, path in (("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
        assert SERVER[probe]["httpGet"] == {"path": path, "port": port["name"]}
        assert ("GET", path) in routes()
    assert FRONT["spec"]["terminationGracePeriodSeconds"] > Settings().drain_seconds + 4
    assert DEPLOYMENT["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_journals_are_where_every_node_reaches_them() -> None:
    (claim,) = of_kind("PersistentVolumeClaim")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    data = next(entry["value"] for entry in SERVER["env"] if entry["name"] == "ORCA_CROWD_DATA")
    for pod, container in ((WORLDS, WORLDS["spec"]["containers"][0]), (FRONT, SERVER)):
        (name,) = [mount["name"] for mount in container["volumeMounts"] if mount["mountPath"] == data]
        (volume,) = [volume for volume in pod["spec"]["volumes"] if volume["name"] == name]
        assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def test_selectors_find_the_pods() -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in PODS.items()}

    def found(selector: dict[str, str]) -> set[str]:
        return {name for name, own in labels.items() if selector.items() <= own.items()}

    assert found(DEPLOYMENT["spec"]["selector"]["matchLabels"]) == {"front end"}
    assert found(of_kind("Service")[0]["spec"]["selector"]) == {"front end"}
    budgets = [found(budget["spec"]["selector"]["matchLabels"]) for budget in of_kind("PodDisruptionBudget")]
    assert budgets == [{"front end"}, {"worlds"}]
    inside, clients = of_kind("NetworkPolicy")
    assert found(inside["spec"]["podSelector"]["matchLabels"]) == set(PODS)
    (rule,) = inside["spec"]["ingress"]
    assert [found(peer["podSelector"]["matchLabels"]) for peer in rule["from"]] == [set(PODS)]
    assert found(clients["spec"]["podSelector"]["matchLabels"]) == {"front end"}
    (rule,) = clients["spec"]["ingress"]
    assert rule == {"ports": [{"port": SERVER["ports"][0]["name"]}]}


def test_the_image_with_ray_has_hashes_for_all_of_it() -> None:
    lines = instructions((DOCKER / "Dockerfile").read_text(encoding="utf-8"))
    assert ("ARG", "PACKAGES=serve") in lines
    with_ray, without = (
        set(re.findall(r"^([a-z0-9-]+)==", (ROOT / f"requirements/{name}.txt").read_text("utf-8"), re.MULTILINE))
        for name in ("ray", "serve")
    )
    assert without < with_ray
    assert "ray" in with_ray - without
