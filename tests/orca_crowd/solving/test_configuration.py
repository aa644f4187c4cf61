"""Configurations: every key and its default, sections of either kind, and each fault by its line."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from orca_core.cooperative.config import SECTIONS, Config
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.configuration import default_text, read_configuration
from tests.orca_crowd.solving.rooms import write_config


def read(folder: Path, text: str) -> Config:
    return read_configuration(write_config(folder, text))


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(Unusable) as caught:
        read(folder, text)
    return str(caught.value)


def test_the_file_of_defaults_has_every_key_in_its_section_with_its_default(tmp_path: Path) -> None:
    assert read(tmp_path, default_text()) == Config()
    written = yaml.safe_load(default_text())
    assert {section: tuple(keys) for section, keys in written.items()} == SECTIONS
    flat = {key: value for keys in written.values() for key, value in keys.items()}
    assert flat == asdict(Config())
    # each with a word on what it does
    lines = {line.split(":")[0].strip(): line for line in default_text().splitlines() if line.startswith("  ")}
    assert [key for key in flat if "#" not in lines[key]] == ["max_speed"]


def test_nothing_is_all_defaults(tmp_path: Path) -> None:
    for text in ("", "# nothing\n", "---\n", "run:\nlns:\n", "run: {}\n"):
        assert read(tmp_path, text) == Config()


def test_sections_are_ornaments(tmp_path: Path) -> None:
    wanted = Config(seed=3, radius=0.25, sipp=True, init_algo="PIBT")
    nested = "agent:\n  seed: 3\n  radius: 0.25\nwhatever:\n  sipp: true\n  init_algo: 'PIBT'\n"
    headers = "run:\nseed: 3\nagent:\nradius: .25\nlns:\nsipp: True\ninit_algo: PIBT\n"
    plain = "init_algo: PIBT # a word\nseed: 3\nradius: 2.5e-1\nsipp: TRUE\n"
    assert [read(tmp_path, text) for text in (nested, headers, plain)] == [wanted] * 3


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("seed: 1\nneighbour_size: 8\n", 2, ("neighbour_size is no key", "did you mean neighbor_size?")),
        ("\n\nqqq: 1\n", 3, ("qqq is no key", "--write-config")),
        ("qqq:\n", 1, ("qqq is no key",)),
        ("run:\n  seed: 1\nlns:\n  seed: 2\n", 4, ("seed is given a second time", "line 2")),
        ("seed: 1\nseed: 1\n", 2, ("a second time", "line 1")),
        ("seed: 1.0\n", 1, ("seed must be a whole number, not 1.0",)),
        ("seed: '1'\n", 1, ('must be a whole number, not "1"',)),
        ("seed: 0x10\n", 1, ("must be a whole number",)),
        ("seed: 1_000\n", 1, ("must be a whole number",)),
        ("seed: -1\n", 1, ("seed must be",)),
        ("seed:\n", 1, ("must be a whole number, not nothing",)),
        ("radius: wide\n", 1, ("radius must be a number, not wide",)),
        ("radius: .nan\n", 1, ("radius must be a number",)),
        ("radius: 1e999\n", 1, ("radius must be",)),
        ("radius: [1]\n", 1, ("radius must be one value",)),
        ("sipp: yes\n", 1, ("sipp must be true or false, not yes",)),
        ("sipp: 1\n", 1, ("sipp must be true or false",)),
        ("init_algo: EECBS\n", 1, ("init_algo must be one of PP, PIBT",)),
        ("run:\n  agent:\n    seed: 1\n", 2, ("agent must be one value, not a section within run",)),
        ("seed: {seed: 1}\nrun: {a: {b: 1}}\n", 2, ("a must be one value",)),
        ("- seed\n", 1, ("must be lines of `key: value`",)),
        ("seed 1\n", 1, ("must be lines of `key: value`",)),
        ("seed: 1\n\tradius: 1\n", 2, ("is no YAML",)),
        ("seed: 1\nradius: [1\n", 3, ("is no YAML",)),
        ("a: &x 1\nseed: *x\n", 1, ("anchors",)),
        ("seed: !!int 1\n", 1, ("tags",)),
        ("seed: 1\n---\nseed: 2\n", 3, ("a second one begins",)),
        ("? [a]\n: 1\n", 1, ("a key must be a word",)),
        ("seed: 1\nname: \x01\n", 2, ("control character",)),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_file_and_line(tmp_path: Path, text: str, line: int, words: tuple[str, ...]) -> None:
    said = refusal(tmp_path, text)
    assert said.startswith(f"mend config.yml: line {line}: ")
    for word in words:
        assert word in said


def test_every_fault_has_its_line(tmp_path: Path) -> None:
    said = refusal(tmp_path, "sede: 1\nradius: x\nseed: 1\nneighbor_size: 0\nseed: 2\n").splitlines()
    assert [line.strip().partition(": ")[2][:6] if k == 0 else line.strip()[:6] for k, line in enumerate(said)] == [
        "line 1", "line 2", "line 4", "line 5",
    ]  # fmt: skip
    many = refusal(tmp_path, "".join(f"key_{k}: 1\n" for k in range(30))).splitlines()
    assert many[-1].strip() == "and 10 more"


def test_keys_that_are_wrong_together_are_named(tmp_path: Path) -> None:
    assert "mend config.yml: line 2: radius" in refusal(tmp_path, "seed: 1\nradius: 0.45\n")
    assert "radius" in refusal(tmp_path, "seed: 1\nreps: 0.4\n")


def test_other_bytes_and_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.yml"
    file.write_bytes(b"seed: 1\n# \xff\n")
    with pytest.raises(Unusable, match=r"mend config\.yml: line 2: must be UTF-8; byte 0xff is not"):
        read_configuration(file)
    file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(Unusable, match="is no file of parameters"):
        read_configuration(file)
    file.write_text("[" * 100_000)
    with pytest.raises(Unusable, match=r"mend config\.yml: line 1: is nested too deeply"):
        read_configuration(file)
    for other in (tmp_path, tmp_path / "none.yml"):
        with pytest.raises(Unusable, match="choose another --config"):
            read_configuration(other)


def test_every_key_is_read(tmp_path: Path) -> None:
    # another value than the default for each that has one
    other: dict[str, Any] = {
        field.name: value + 1 if type(value) is int else value * 0.5
        for field in fields(Config)
        if type(value := getattr(Config(), field.name)) in (int, float)
    }
    text = "".join(f"{key}: {value}\n" for key, value in other.items()) + "stop_by_speed: false\ninit_lns: false\n"
    assert read(tmp_path, text) == Config(**other, stop_by_speed=False, init_lns=False)
