"""Settings: defaults that are safe, the environment, and none that nothing reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from orca_crowd.settings import LIMITS, Settings

SOURCES = Path(__file__).resolve().parents[2] / "service" / "orca_crowd"


def test_every_setting_is_read_somewhere() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py") if path.name != "settings.py")
    unused = [name for name in Settings.model_fields if not re.search(rf"(\.{name}\b|\"{name}\")", code)]
    assert unused == []


def test_every_setting_has_a_description_and_a_default() -> None:
    assert all(field.description for field in Settings.model_fields.values())
    assert Settings().host == "127.0.0.1"
    assert set(LIMITS) <= set(Settings.model_fields)


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORCA_CROWD_WORLDS", "7")
    monkeypatch.setenv("ORCA_CROWD_KERNEL_CACHE", "/somewhere")
    assert Settings().worlds == 7
    assert Settings().kernel_cache == Path("/somewhere")
    assert Settings(worlds=8).worlds == 8


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "-1"),
        ("WORKERS", "0"),
        ("HEARTBEAT_SECONDS", "26"),
        ("ENGINE", "threads"),
        ("BODY_BYTES", "1"),
        ("WORLDS", "x"),
    ],
)
def test_a_setting_out_of_range_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ORCA_CROWD_{name}", value)
    with pytest.raises(ValidationError) as refusal:
        Settings()
    assert refusal.value.errors()[0]["loc"] == (name.lower(),)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().worlds = 5  # type: ignore[misc]


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # as under an arbitrary uid in a container: no variable, and no entry among the users
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    for name in ("HOME", "XDG_DATA_HOME", "ORCA_CROWD_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    settings = Settings()
    assert settings.folder is None
    assert settings.key_file is None
    assert settings.durabilities == ("none",)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert Settings().folder == Path("/data/orca-crowd/8000")
