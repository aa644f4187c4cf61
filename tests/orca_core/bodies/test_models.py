"""Modes of avoidance: plain velocity obstacles oscillate, reciprocal ones and half-planes do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import InvalidInput, Options, World
from tests.support.samples import samples
from tests.support.worlds import deepest_overlap, wall, world_of

Floats = NDArray[np.float64]

MODELS = ("orca", "rvo", "vo")


def sideways(model: str, offset: float) -> Floats:
    """Sideways velocity (k,) of one of two who meet head-on, step by step, until they have passed."""
    places = np.array([[-8.0, offset / 2.0], [8.0, -offset / 2.0]])
    world = world_of(
        places, time_step=0.1, goal=places * [[-1.0, 1.0]], velocity=[[1.5, 0.0], [-1.5, 0.0]], neighbor_distance=9.0,
        options=replace(Options.service(), avoidance_model=model),
    )  # fmt: skip
    seen = []
    for _ in range(110):
        world.step()
        seen.append(float(world.column("velocity")[0, 1]))
        assert deepest_overlap(world.column("position"), world.column("radius")) <= 0.05
    return np.array(seen)


def changes_of_sign(values: Floats) -> int:
    """How often the sign changes, values that are nothing left out."""
    signs = np.sign(values[np.abs(values) > 1e-6])
    return int((signs[1:] != signs[:-1]).sum())


@pytest.mark.parametrize("offset", [0.05, 0.1])
def test_it_swings_to_and_fro_without_reciprocity(offset: float) -> None:
    swings = {model: changes_of_sign(sideways(model, offset)) for model in MODELS}
    # out of the way and back to the line is one
    assert swings["orca"] <= 1
    assert swings["rvo"] <= 1
    assert swings["vo"] >= 4
    paths = {model: float(np.abs(np.diff(sideways(model, offset))).sum()) for model in MODELS}
    assert paths["vo"] > 4.0 * max(paths["orca"], paths["rvo"])


@pytest.mark.parametrize("model", ["rvo", "vo"])
def test_a_crowd_arrives_and_walls_hold(model: str) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    # not an exact ring: nothing in these modes breaks a symmetry
    ring = 6.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring += np.random.default_rng(1).normal(0.0, 0.05, ring.shape)
    fence = [wall((-8.0, y), (8.0, y)) for y in (-7.0, 7.0)]
    world = world_of(
        ring, time_step=0.1, goal=-ring, radius=0.3, goal_tolerance=0.1, walls=fence,
        options=replace(Options.service(), avoidance_model=model),
    )  # fmt: skip
    deepest = 0.0
    for _ in range(samples(300)):
        world.step()
        deepest = max(deepest, deepest_overlap(world.column("position"), world.column("radius")))
        assert np.abs(world.column("position")[:, 1]).max() <= 6.7 + 1e-9
    assert deepest <= 0.3
    if samples(300) == 300:
        assert (world.column("status") == 2).all()


@pytest.mark.parametrize("model", MODELS)
def test_limits_hold_in_every_mode_and_no_split_changes_a_bit(model: str) -> None:
    generator = np.random.default_rng(3)
    worlds = []
    for split in (None, [1, 3]):
        generator = np.random.default_rng(3)
        world = world_of(
            generator.uniform(-4.0, 4.0, (30, 2)), time_step=0.1, goal=generator.uniform(-4.0, 4.0, (30, 2)),
            radius=0.3, max_acceleration=2.0, max_turning_rate=3.0, walls=[wall((-9.0, 0.0), (-5.0, 0.0))],
            options=replace(Options.service(), avoidance_model=model),
        )  # fmt: skip
        for _ in range(samples(40)):
            before = world.column("velocity").copy()
            world.step(split=split)
            assert np.hypot(*(world.column("velocity") - before).T).max() <= 0.2 + 1e-12
        worlds.append(world)
    assert worlds[0].digest() == worlds[1].digest()
    assert World.restore(worlds[0].snapshot()).options.avoidance_model == model


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"options\.avoidance_model: must be one of orca, rvo, vo, not 'boids'"):
        Options.from_mapping({"avoidance_model": "boids"})
