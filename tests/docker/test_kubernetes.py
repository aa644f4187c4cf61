"""The manifests belong together, and name what the server has: port, paths, variables, metric, time to drain."""

from __future__ import annotations

import re
from typing import Any

import yaml

from orca_crowd.metrics import Metrics
from orca_crowd.settings import Settings
from tests.support.interface import environment_names, routes
from tests.support.manifests import DOCKER, KUBERNETES, instructions, manifests, of_kind

SET = of_kind("StatefulSet")
POD: dict[str, Any] = SET["spec"]["template"]["spec"]
(SERVER,) = POD["containers"]
LABELS: dict[str, str] = SET["spec"]["template"]["metadata"]["labels"]


def test_the_kustomization_lists_every_file() -> None:
    text = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text(encoding="utf-8"))
    files = {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(text["resources"]) == files
    assert [image["name"] for image in text["images"]] == [SERVER["image"]]
    assert text["namespace"] == of_kind("Namespace")["metadata"]["name"]


def test_selectors_find_the_pods() -> None:
    selectors = [
        SET["spec"]["selector"]["matchLabels"],
        of_kind("Service")["spec"]["selector"],
        of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
    ]
    assert [selector for selector in selectors if not selector.items() <= LABELS.items()] == []
    scaled = of_kind("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert (scaled["kind"], scaled["name"]) == (SET["kind"], SET["metadata"]["name"])
    assert SET["spec"]["serviceName"] == of_kind("Service")["metadata"]["name"]
    assert POD["serviceAccountName"] == of_kind("ServiceAccount")["metadata"]["name"]


def test_the_pod_keeps_to_the_restricted_standard() -> None:
    assert of_kind("Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert SERVER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert POD["automountServiceAccountToken"] is False
    assert not any("hostPath" in volume for volume in POD["volumes"])
    # the user of the image
    user = next(rest for word, rest in instructions((DOCKER / "Dockerfile").read_text("utf-8")) if word == "USER")
    assert user == f"{POD['securityContext']['runAsUser']}:{POD['securityContext']['runAsGroup']}"


def test_probes_ask_for_what_is_there() -> None:
    (port,) = SERVER["ports"]
    assert port["containerPort"] == Settings.model_fields["port"].default
    for probe, path in (("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
        asked = SERVER[probe]["httpGet"]
        assert asked == {"path": path, "port": port["name"]}
        assert ("GET", path) in routes()
    # a liveness that asked for readiness would kill a server that drains or compiles
    assert "startupProbe" not in SERVER


def test_variables_and_mounts() -> None:
    variables = {entry["name"]: entry["value"] for entry in SERVER["env"]}
    assert set(variables) <= environment_names()
    mounts = {mount["mountPath"]: mount for mount in SERVER["volumeMounts"]}
    assert variables["ORCA_CROWD_DATA"] in mounts
    assert variables["ORCA_CROWD_KEYS"].rpartition("/")[0] in mounts
    (claim,) = SET["spec"]["volumeClaimTemplates"]
    assert mounts[variables["ORCA_CROWD_DATA"]]["name"] == claim["metadata"]["name"]
    volumes = {volume["name"] for volume in POD["volumes"]} | {claim["metadata"]["name"]}
    assert {mount["name"] for mount in mounts.values()} == volumes


def test_there_is_time_to_drain() -> None:
    assert POD["terminationGracePeriodSeconds"] > Settings().drain_seconds + 4


def test_workers_fit_the_processors() -> None:
    # as many as the limit says, and whole ones: the server takes the quota for its number of workers
    assert re.fullmatch(r"[1-9]\d*", SERVER["resources"]["limits"]["cpu"])
    assert SERVER["resources"]["requests"]["cpu"] == SERVER["resources"]["limits"]["cpu"]


def test_it_scales_by_a_metric_that_the_server_has() -> None:
    (metric,) = of_kind("HorizontalPodAutoscaler")["spec"]["metrics"]
    name = metric["pods"]["metric"]["name"]
    assert re.search(rf"^# TYPE {name} gauge$", Metrics().text().decode(), re.MULTILINE)
    # worlds would go with the pod that has them
    assert of_kind("HorizontalPodAutoscaler")["spec"]["behavior"]["scaleDown"]["selectPolicy"] == "Disabled"


def test_every_manifest_says_whose_it_is() -> None:
    ours = [document for document in manifests() if document["kind"] not in ("Namespace", "ServiceAccount")]
    assert len(ours) == 4
    assert {document["metadata"]["name"] for document in ours} == {"orca-crowd"}
