"""The addon for Godot 4: its scripts parse and pass the linter, and it has what the one for Godot 3 has.

No registry ships a Godot 4 that runs without a display, so this is as far as it can be checked here; the addon for
Godot 3, of which it is the same in the newer syntax, runs in test_godot3.py.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from gdtoolkit.parser import parser

from orca_crowd_client import Client, Stream, World, commands
from tests.clients.godot.godot import ADDONS

OLD, NEW = (ADDONS / name / "addons" / "orca_crowd" for name in ("godot3", "godot4"))
SCRIPTS = sorted(NEW.glob("*.gd"))
README = ADDONS / "godot4" / "README.md"
BLOCKS = re.findall(r"^```gdscript\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
# what only Godot 3 has, and a parser takes for a name
ONLY_OLD = re.compile(
    r"\b(yield|Pool\w+Array|Reference|WebSocketClient|OS\.get_ticks_\w+|rand_range|percent_encode|idle_frame"
    r"|bytes2var|var2bytes|parse_json|to_json|to_utf8\(|TYPE_REAL\w*|TYPE_RAW_ARRAY|\.empty\(|find_last)"
)


def interface(script: Path) -> dict[str, str]:
    """The methods and signals that a script shows, with their parameters."""
    text = script.read_text(encoding="utf-8")
    found = re.findall(r"^(?:static )?(func|signal) (\w+)(?:\((.*?)\))?", text, re.MULTILINE)
    return {f"{kind} {name}": parameters for kind, name, parameters in found if not name.startswith("_")}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_parses(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    parser.parse(text)
    code = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    assert ONLY_OLD.findall(code) == []


def test_the_scripts_pass_the_linter() -> None:
    command = [str(Path(sys.executable).parent / "gdlint"), "godot4/addons"]
    done = subprocess.run(command, cwd=ADDONS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_parser_tells_what_is_wrong() -> None:
    with pytest.raises(Exception, match="Unexpected token"):
        parser.parse('func f():\n\tyield(a(), "completed"\n')


def test_both_addons_have_the_same_files_methods_and_signals() -> None:
    assert [script.name for script in SCRIPTS] == [script.name for script in sorted(OLD.glob("*.gd"))]
    for script in SCRIPTS:
        assert interface(script) == interface(OLD / script.name), script.name
    assert (NEW / "plugin.cfg").read_text(encoding="utf-8") == (OLD / "plugin.cfg").read_text(encoding="utf-8")


# what belongs to a language: iterating and `with` there, the scene tree and its frames here
PYTHON_ALONE = {"call", "close", "frames", "hello", "receive", "stream_headers", "load_map", "release"}
GODOT_ALONE = {"call_server", "close", "fresh_key", "add_stream", "remove_stream", "step_body", "poll", "row_of"}


@pytest.mark.parametrize("kind", [Client, World, Stream])
def test_the_names_are_those_of_the_python_client(kind: type) -> None:
    public = {name for name in vars(kind) if not name.startswith("_")} - PYTHON_ALONE
    shown = interface(NEW / f"{kind.__name__.lower()}.gd")
    assert {name.removeprefix("func ") for name in shown if name.startswith("func ")} - GODOT_ALONE == public


def test_the_commands_are_those_of_the_python_client() -> None:
    made = {name.removeprefix("func ") for name in interface(NEW / "commands.gd")} - {"obstacle_bodies", "area_bodies"}
    assert made == {name for name in commands.__all__ if name[0].islower()}


def test_the_readme_begins_with_lines_that_parse() -> None:
    assert README.read_text(encoding="utf-8").startswith("```gdscript\n")
    assert len([line for line in BLOCKS[0].splitlines() if line.strip()]) <= 10
    parser.parse(BLOCKS[0])
    # the others are lines of some function
    for block in BLOCKS[1:]:
        parser.parse("func some():\n" + "".join(f"\t{line}\n" for line in block.splitlines()))


@pytest.mark.parametrize("folder", ["godot3", "godot4"])
def test_a_readme_names_every_method_and_says_what_the_numbers_hold(folder: str) -> None:
    text = (ADDONS / folder / "README.md").read_text(encoding="utf-8")
    internal = {"call_server", "stream_url", "fresh_key", "add_stream", "remove_stream", "step_body", "poll"}
    for name in ("client", "world", "stream"):
        methods = [shown.split()[1] for shown in interface(ADDONS / folder / "addons" / "orca_crowd" / f"{name}.gd")]
        assert [method for method in methods if method not in internal and f"`{method}`" not in text] == []
    assert "float32" in text
    assert "do not send back what you" in text
