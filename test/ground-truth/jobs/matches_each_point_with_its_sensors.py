#!/usr/bin/python3
"""A network learns a flow from its equations, and from sensors: which of its points are theirs is looked up point by point.

That is done anew whenever points are added where the equations hold least, so that there are ever more. With --fixed
it is known: the sensors' come first.

After https://github.com/lululxvi/deepxde/pull/187 and https://github.com/lululxvi/deepxde/pull/260.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 340
REFINED_EVERY = 8
DOMAIN_POINTS = 3200
SENSORS = 48
CANDIDATES = 600
ADDED = 80
BATCH = 4096
LENGTH, HEIGHT = 2.2, 0.41


class Channel:
    """The inside of a rectangle, with a flow from its left to its right."""

    def __init__(self):
        self.drawn = numpy.random.default_rng(53)

    def random_points(self, count):
        return self.drawn.random((count, 2)) * (LENGTH, HEIGHT)

    def wall_points(self, count):
        points = self.random_points(count)
        points[:, 1] = numpy.where(points[:, 1] < HEIGHT / 2, 0.0, HEIGHT)
        return points


class DirichletBC:
    """No flow along the walls."""

    def filter(self, points):
        return points[(points[:, 1] < 1e-6) | (points[:, 1] > HEIGHT - 1e-6)]


class PointSet:
    """What was measured at some points."""

    def __init__(self, points, values):
        self.points = points
        self.values = values

    def inside(self, point):
        return numpy.any(numpy.all(numpy.isclose(point, self.points), axis=1))

    def filter(self, points):
        return points[[self.inside(point) for point in points]]


class PointSetBC(PointSet):
    """The same where its points are the first of all."""

    def filter(self, points):
        return points[: len(self.points)]


class PDE:
    """Where the equations are asked to hold, and where something is known of the flow."""

    def __init__(self, geometry, conditions, sensors):
        self.geometry = geometry
        self.conditions = conditions
        self.train_x_all = numpy.vstack([sensors, geometry.random_points(DOMAIN_POINTS), geometry.wall_points(300)])
        self.sensors = len(sensors)
        self.train_x_bc = self.bc_points()

    def bc_points(self):
        return numpy.vstack([condition.filter(self.train_x_all) for condition in self.conditions])

    def add_anchors(self, anchors):
        self.train_x_all = numpy.vstack([self.train_x_all[: self.sensors], anchors, self.train_x_all[self.sensors :]])
        self.train_x_bc = self.bc_points()

    def train_next_batch(self):
        within = self.train_x_all[self.geometry.drawn.integers(0, len(self.train_x_all), BATCH - len(self.train_x_bc))]
        return torch.from_numpy(numpy.vstack([self.train_x_bc, within]).astype(numpy.float32))


class AdaptiveRefinement:
    """Adds the points of some drawn ones at which the residual is largest."""

    def __init__(self, data):
        self.data = data
        self.waves = data.geometry.drawn.normal(size=(2, 16))

    def residual(self, points):
        return numpy.abs(numpy.sin(points @ self.waves).sum(axis=1))

    def on_refine(self):
        candidates = self.data.geometry.random_points(CANDIDATES)
        worst = numpy.argsort(-self.residual(candidates))[:ADDED]
        self.data.add_anchors(candidates[worst])


def main():
    torch.set_num_threads(1)
    culprit = ["PointSet", "inside", "filter", "bc_points", "add_anchors", "on_refine", "isclose"]
    # What it finds is copied next, so that it prepares a batch as well.
    loop = Loop(["host-work", "host-data-movement"], culprit, "refining", step_s=0.022)
    geometry = Channel()
    sensors = geometry.random_points(SENSORS)
    conditions = [DirichletBC(), (PointSetBC if IS_FIXED else PointSet)(sensors, numpy.zeros(SENSORS))]
    data = PDE(geometry, conditions, sensors)
    refinement = AdaptiveRefinement(data)
    for step in range(1, STEPS + 1):
        loop.steps.append(time.perf_counter())
        if loop.is_over():
            break
        loop.train(loop.timed("drawing", data.train_next_batch))
        if step % REFINED_EVERY == 0:
            loop.timed("refining", refinement.on_refine)
    loop.steps.append(time.perf_counter())
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
