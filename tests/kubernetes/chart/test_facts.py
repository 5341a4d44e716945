"""What holds of every object that the chart makes, whatever the values. Nothing of a cluster is needed."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from chart.rendering import (
    CHART,
    ROOT,
    SETS,
    VALUES,
    Chart,
    Object,
    Refused,
    containers,
    name,
    of_kind,
    pod_specs,
    text_of,
)

pytestmark = pytest.mark.timeout(1800)
Render = Callable[[str], tuple[Object, ...]]
RUNNING = ("Deployment", "StatefulSet")
UPGRADE = "--is-upgrade"
SECRET_WORDS = ("PASSWORD", "SECRET", "ACCESS_KEY", "SESSION_KEY", "DATABASE_URL", "REDIS_URL")
NAMES_ONLY = {"MLP_KUBERNETES_IMAGE_PULL_SECRET"}
"""Hold the name of a Secret, not what is in it."""


@pytest.fixture(params=SETS)
def objects(request: pytest.FixtureRequest, rendered: Render) -> tuple[Object, ...]:
    return rendered(request.param)


@pytest.mark.parametrize("values", SETS)
def test_lint_finds_nothing(chart: Chart, values: str) -> None:
    said = chart.run("lint", str(CHART), "--strict", f"--values={VALUES / values}.yaml")
    assert "0 chart(s) failed" in said


def test_every_container_has_limits_and_requests(objects: tuple[Object, ...]) -> None:
    wrong = [
        where
        for where, container in containers(objects)
        if not {"cpu", "memory"} <= set(container["resources"]["limits"]) & set(container["resources"]["requests"])
    ]
    assert wrong == []


def test_every_container_is_locked_down(objects: tuple[Object, ...]) -> None:
    for where, container in containers(objects):
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] is True, where
        assert security["allowPrivilegeEscalation"] is False, where
        assert security["capabilities"] == {"drop": ["ALL"]}, where
    for owner, template in pod_specs(objects):
        security = template["spec"]["securityContext"]
        assert security["runAsNonRoot"] is True, owner
        assert security["runAsUser"] > 0, owner
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, owner


def test_only_the_operator_and_the_preflight_hold_a_token_of_the_cluster(objects: tuple[Object, ...]) -> None:
    holders = {
        owner for owner, template in pod_specs(objects) if template["spec"].get("automountServiceAccountToken", True)
    }
    assert holders <= {"Deployment/mlp-operator", "Job/mlp-preflight"}
    assert all(account["automountServiceAccountToken"] is False for account in of_kind(objects, "ServiceAccount"))


def test_what_runs_for_ever_has_all_probes(objects: tuple[Object, ...]) -> None:
    for item in of_kind(objects, *RUNNING):
        for container in item["spec"]["template"]["spec"]["containers"]:
            assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container), name(item)


def test_every_deployment_has_a_disruption_budget_that_lets_nodes_drain(objects: tuple[Object, ...]) -> None:
    budgets = {
        text_of(budget["spec"]["selector"]): budget["spec"] for budget in of_kind(objects, "PodDisruptionBudget")
    }
    for deployment in of_kind(objects, "Deployment"):
        budget = budgets[text_of(deployment["spec"]["selector"])]
        # Never `minAvailable`, which with one replica would hold a node's drain up for ever.
        assert budget["maxUnavailable"] == 1, name(deployment)


def test_no_secret_is_in_plain_text(objects: tuple[Object, ...]) -> None:
    secrets = [
        base64.b64decode(value).decode() for secret in of_kind(objects, "Secret") for value in secret["data"].values()
    ]
    everything_else = "".join(text_of(item) for item in objects if item["kind"] != "Secret")
    assert [secret for secret in secrets if secret in everything_else] == []
    for where, container in containers(objects):
        for variable in container.get("env", ()):
            looks_secret = any(word in variable["name"] for word in SECRET_WORDS) and variable["name"] not in NAMES_ONLY
            assert not looks_secret or "secretKeyRef" in variable["valueFrom"], f"{where}: {variable['name']}"


def test_generated_secrets_outlive_the_release(objects: tuple[Object, ...]) -> None:
    for secret in of_kind(objects, "Secret"):
        assert secret["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
        assert all(len(base64.b64decode(value)) >= 20 for value in secret["data"].values())


def test_selectors_hold_only_what_never_changes(objects: tuple[Object, ...]) -> None:
    allowed = {f"app.kubernetes.io/{key}" for key in ("name", "instance", "component")}
    for item in of_kind(objects, *RUNNING):
        assert set(item["spec"]["selector"]["matchLabels"]) == allowed
        assert item["spec"]["selector"]["matchLabels"].items() <= item["spec"]["template"]["metadata"]["labels"].items()


def test_operator_has_exactly_the_rights_of_the_list(objects: tuple[Object, ...]) -> None:
    import yaml

    listed = yaml.safe_load((CHART / "files/operator-rights.yaml").read_text())
    role = next(role for role in of_kind(objects, "ClusterRole") if role["metadata"]["name"].endswith("operator"))
    assert role["rules"] == [{key: value for key, value in rule.items() if key != "why"} for rule in listed]
    given = text_of({"rules": role["rules"]})
    assert "*" not in given
    assert not any(verb in given for verb in ("escalate", "impersonate", '"bind"', "deletecollection"))


def test_each_called_neighbour_lets_its_callers_in(rendered: Render) -> None:
    policies = {item["metadata"]["name"]: item["spec"] for item in of_kind(rendered("trial"), "NetworkPolicy")}
    assert policies["mlp-deny"] == {
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "mlp", "app.kubernetes.io/instance": "mlp"}},
        "policyTypes": ["Ingress", "Egress"],
    }
    callers = {
        target: {
            peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"]
            for rule in policies[f"mlp-{target}"]["ingress"]
            for peer in rule.get("from", ())
            if "podSelector" in peer
        }
        for target in ("postgres", "valkey", "objects", "mlflow")
    }
    assert callers == {
        "postgres": {"api", "operator", "worker", "mlflow", "migrate", "bootstrap"},
        "valkey": {"api", "operator", "worker", "bootstrap"},
        "objects": {"api", "operator", "worker", "mlflow", "bootstrap"},
        "mlflow": {"api", "operator", "worker"},
    }


def test_every_component_has_a_policy_that_names_it(rendered: Render) -> None:
    for values in ("trial", "production", "gateway", "air-gapped"):
        objects = rendered(values)
        chosen = {
            item["spec"]["podSelector"]["matchLabels"].get("app.kubernetes.io/component")
            for item in of_kind(objects, "NetworkPolicy")
        }
        components = {
            template["metadata"]["labels"]["app.kubernetes.io/component"] for _, template in pod_specs(objects)
        }
        assert components <= chosen


def test_migration_runs_before_an_upgrade_and_before_an_install_on_an_existing_database(chart: Chart) -> None:
    def migration(*arguments: str) -> Object:
        return next(job for job in of_kind(chart.render(*arguments), "Job") if "migrate" in job["metadata"]["name"])

    for arguments in (("production",), ("production", UPGRADE), ("trial", UPGRADE)):
        assert migration(*arguments)["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    # The bundled Postgres comes with the release, so the first migration stands beside it.
    assert "annotations" not in migration("trial")["metadata"]


def test_pods_wait_for_the_schema(objects: tuple[Object, ...]) -> None:
    for deployment in of_kind(objects, "Deployment"):
        if not deployment["metadata"]["name"].endswith("mlflow"):
            first = deployment["spec"]["template"]["spec"]["initContainers"][0]
            assert first["command"] == ["python", "-m", "mlp_core.migrate", "wait"]


def test_every_image_comes_from_the_mirror_of_an_air_gapped_site(rendered: Render) -> None:
    images = {container["image"] for _, container in containers(rendered("air-gapped"))}
    assert all(image.startswith("registry.internal:5000/mirror/") for image in images)
    assert any(image.endswith("mlp-platform@sha256:" + "0" * 64) for image in images)
    assert all(
        template["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        for _, template in pod_specs(rendered("air-gapped"))
    )


def test_gateway_and_ingress_lead_to_the_api(rendered: Render) -> None:
    route = of_kind(rendered("gateway"), "HTTPRoute")[0]
    assert route["spec"]["rules"][0]["backendRefs"] == [{"name": "mlp-api", "port": 8080}]
    assert route["spec"]["rules"][0]["timeouts"] == {"request": "0s"}
    ingress = of_kind(rendered("production"), "Ingress")[0]
    assert ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"] == "mlp-api"
    assert of_kind(rendered("minimal"), "Ingress", "HTTPRoute") == []


def test_metrics_have_no_way_in_from_outside(rendered: Render) -> None:
    services = {item["metadata"]["name"]: item["spec"] for item in of_kind(rendered("production"), "Service")}
    assert [port["port"] for port in services["mlp-api"]["ports"]] == [8080]
    monitor = of_kind(rendered("production"), "ServiceMonitor")[0]
    chosen = monitor["spec"]["selector"]["matchLabels"]
    matched = [
        item
        for item in of_kind(rendered("production"), "Service")
        if chosen.items() <= item["metadata"]["labels"].items()
    ]
    assert {item["metadata"]["name"] for item in matched} == {
        f"mlp-{part}-metrics" for part in ("api", "operator", "worker")
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--set=apii.replicas=2",), "apii"),
        (("--set=api.resources.limits=null",), "limits"),
        (("--set=publicUrl=mlp.example.com",), "publicUrl"),
        (("--set=image.digest=latest",), "digest"),
        (("--set=database.existingSecret=",), "database.existingSecret"),
        (("--set=ingress.enabled=true,gateway.enabled=true",), "not"),
    ],
)
def test_wrong_values_are_refused_by_name(chart: Chart, arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        chart.render("minimal", *arguments)


def test_versions_are_those_of_the_platform() -> None:
    import tomllib

    import yaml

    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    version = tomllib.loads((ROOT / "platform/core/pyproject.toml").read_text())["project"]["version"]
    assert chart["appVersion"] == version
