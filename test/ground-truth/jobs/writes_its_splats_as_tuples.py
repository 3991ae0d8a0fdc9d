#!/usr/bin/python3
"""Gaussian splatting: every 40 steps all splats are saved as PLY, of which there are ever more, each as a tuple of 62 numbers.

With --fixed the numbers are written as they lie in memory.

After https://github.com/yangyanli/PointCNN/pull/117 and https://github.com/nerfstudio-project/gsplat/issues/234.
"""

import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 400
VIEWS = 32
SIDE = 160
SPLATS = 20_000
SAVE_EVERY = 40
DENSIFY_EVERY = 25
DENSIFY_UNTIL = 330
GROWTH = 1.09
DEGREES = 15


class GaussianModel:
    """What is learned of each splat; on a real machine this is on the GPU."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(3)
        self.parts = {
            "xyz": torch.randn(SPLATS, 3, generator=drawn),
            "features_dc": torch.randn(SPLATS, 1, 3, generator=drawn),
            "features_rest": torch.zeros(SPLATS, DEGREES, 3),
            "opacity": torch.randn(SPLATS, 1, generator=drawn),
            "scaling": torch.randn(SPLATS, 3, generator=drawn),
            "rotation": torch.randn(SPLATS, 4, generator=drawn),
        }

    def densify_and_clone(self):
        """Splats with the largest gradients become two."""
        count = len(self.parts["xyz"])
        chosen = torch.randperm(count)[: int(count * (GROWTH - 1))]
        self.parts = {name: torch.cat([values, values[chosen]]) for name, values in self.parts.items()}

    def construct_list_of_attributes(self):
        names = ["x", "y", "z", "nx", "ny", "nz"]
        names += [f"f_dc_{number}" for number in range(3)]
        names += [f"f_rest_{number}" for number in range(3 * DEGREES)]
        names += ["opacity"]
        names += [f"scale_{number}" for number in range(3)]
        return names + [f"rot_{number}" for number in range(4)]

    def gather_attributes(self):
        flat = {name: values.transpose(1, -1).flatten(1).numpy() for name, values in self.parts.items()}
        normals = numpy.zeros_like(flat["xyz"])
        return numpy.concatenate([flat.pop("xyz"), normals, *flat.values()], axis=1)

    def save_ply(self, path):
        attributes = self.gather_attributes()
        names = self.construct_list_of_attributes()
        if IS_FIXED:
            elements = attributes
        else:
            elements = numpy.empty(len(attributes), dtype=[(name, "f4") for name in names])
            elements[:] = list(map(tuple, attributes))
        write_ply(path, names, elements)


def write_ply(path, names, elements):
    properties = "".join(f"property float {name}\n" for name in names)
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(elements)}\n{properties}end_header\n"
    with open(path, "wb") as file:
        file.write(header.encode())
        file.write(elements.tobytes())


class Scene:
    def __init__(self, folder):
        self.folder = folder
        self.gaussians = GaussianModel()
        self.views = torch.rand(VIEWS, 3, SIDE, SIDE)

    def draw_views(self):
        """One view after the other, all of them before one comes again."""
        stack = []
        for _ in range(STEPS):
            stack = stack or list(self.views)
            yield stack.pop(random.randrange(len(stack)))

    def save(self, step):
        point_cloud = os.path.join(self.folder, "point_cloud", f"iteration_{step}")
        os.makedirs(point_cloud)
        self.gaussians.save_ply(os.path.join(point_cloud, "point_cloud.ply"))


def main():
    torch.set_num_threads(1)
    culprit = ["save_ply", "Scene.save", "save"]
    loop = Loop("checkpoint", culprit, "saving", step_s=0.014)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="splats-") as folder:
        scene = Scene(folder)
        for step, view in enumerate(loop.batches(scene.draw_views()), 1):
            loop.train(view)
            if step % DENSIFY_EVERY == 0 and step < DENSIFY_UNTIL:
                loop.timed("densifying", scene.gaussians.densify_and_clone)
            if step % SAVE_EVERY == 0:
                loop.timed("saving", scene.save, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
