#!/usr/bin/python3
"""Two causes: a worker makes the rays of all pixels to keep 2048, and at times a finer mesh is drawn cell by cell.

With --fixed pixels are chosen before their rays are made, and NumPy finds the cells that the surface goes through.

After https://github.com/facebookresearch/Neural_3D_Video/issues/8 and https://github.com/Totoro97/NeuS/issues/5.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import itertools
import tempfile

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 180
VIEWS = 20
HEIGHT, WIDTH = 520, 680
FOCAL = 600.0
RAYS = 2048
NEAR = 1.0
MESH_EVERY = 15
COARSEST = 21
CORNERS = list(itertools.product((0, 1), repeat=3))
EDGES = [(first, second) for first, second in itertools.combinations(range(8), 2) if (first ^ second) in (1, 2, 4)]


def look_from(angle):
    """The pose of a camera that goes around the object."""
    sine, cosine = numpy.sin(angle), numpy.cos(angle)
    turn = numpy.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]], dtype=numpy.float32)
    return turn, turn @ numpy.array([0, 0, 3], dtype=numpy.float32)


def get_rays(rows, columns, pose):
    """Where the rays of these pixels begin and where they go, in normalized device coordinates, and their direction."""
    turn, origin = pose
    seen = numpy.stack([(columns - WIDTH / 2) / FOCAL, -(rows - HEIGHT / 2) / FOCAL, -numpy.ones_like(rows)], axis=-1)
    directions = seen.astype(numpy.float32) @ turn.T
    unit = directions / numpy.linalg.norm(directions, axis=-1, keepdims=True)
    begins = origin + NEAR * unit
    depth = numpy.where(numpy.abs(begins[..., 2:]) < 0.1, 0.1, begins[..., 2:])
    placed = numpy.concatenate([-FOCAL / WIDTH * 2 * begins[..., :2] / depth, 1 + 2 * NEAR / depth], axis=-1)
    return numpy.concatenate([placed, directions, unit], axis=-1)


class RayDataset(Dataset):
    """A batch is some rays of one view, and the colours that they shall find."""

    def __init__(self):
        drawn = numpy.random.default_rng(83)
        self.images = drawn.random((VIEWS, HEIGHT, WIDTH, 3), dtype=numpy.float32)
        self.poses = [look_from(2 * numpy.pi * view / VIEWS) for view in range(VIEWS)]

    def __len__(self):
        return STEPS

    def choose_pixels(self, index):
        chosen = numpy.random.default_rng(index).choice(HEIGHT * WIDTH, RAYS)
        return numpy.divmod(chosen, WIDTH)

    def rays_of_view(self, pose):
        rows, columns = numpy.mgrid[0:HEIGHT, 0:WIDTH]
        return get_rays(rows.astype(numpy.float32), columns.astype(numpy.float32), pose)

    def __getitem__(self, index):
        view = index % VIEWS
        rows, columns = self.choose_pixels(index)
        if IS_FIXED:
            rays = get_rays(rows.astype(numpy.float32), columns.astype(numpy.float32), self.poses[view])
        else:
            rays = self.rays_of_view(self.poses[view])[rows, columns]
        colours = self.images[view][rows, columns]
        return torch.from_numpy(numpy.concatenate([rays, colours], axis=-1).astype(numpy.float32))


def net_cell(corners):
    """The middle of where the surface cuts the edges of a cell; None where it goes by."""
    cuts = []
    for first, second in EDGES:
        if (corners[first] < 0) != (corners[second] < 0):
            part = corners[first] / (corners[first] - corners[second])
            cuts.append([one + part * (other - one) for one, other in zip(CORNERS[first], CORNERS[second])])
    if not cuts:
        return None
    return [sum(axis) / len(cuts) for axis in zip(*cuts)]


def surface_nets(distances):
    """Vertices of the mesh where the distance to the surface is 0."""
    grid, vertices = distances.tolist(), []
    cells = range(len(grid) - 1)
    for x, y, z in itertools.product(cells, cells, cells):
        vertex = net_cell([grid[x + a][y + b][z + c] for a, b, c in CORNERS])
        if vertex is not None:
            vertices.append((x + vertex[0], y + vertex[1], z + vertex[2]))
    return vertices


def surface_nets_in_numpy(distances):
    size = len(distances) - 1
    corners = numpy.stack([distances[a : a + size, b : b + size, c : c + size] for a, b, c in CORNERS], axis=-1)
    cut = (corners < 0).any(axis=-1) & (corners >= 0).any(axis=-1)
    places, corners = numpy.argwhere(cut), corners[cut]
    total, count = numpy.zeros((len(corners), 3)), numpy.zeros((len(corners), 1))
    for first, second in EDGES:
        crossed = (corners[:, first] < 0) != (corners[:, second] < 0)
        part = (corners[crossed, first] / (corners[crossed, first] - corners[crossed, second]))[:, None]
        step = numpy.subtract(CORNERS[second], CORNERS[first])
        total[crossed] += numpy.array(CORNERS[first]) + part * step
        count[crossed] += 1
    return places + total / count


class SurfaceField:
    """The signed distance that was learned so far: a ball with waves, which become finer."""

    def distances(self, resolution, step):
        axis = numpy.linspace(-1, 1, resolution)
        x, y, z = numpy.meshgrid(axis, axis, axis, indexing="ij")
        waves = numpy.sin((3 + step / 50) * x) * numpy.sin((3 + step / 50) * y) * numpy.sin(4 * z)
        return numpy.sqrt(x * x + y * y + z * z) - 0.6 + 0.1 * waves


class MeshValidator:
    """Writes the vertices; the grid has 3 more points in each direction each time."""

    def __init__(self, folder, field):
        self.folder = folder
        self.field = field
        self.resolution = COARSEST

    def validate_mesh(self, step):
        self.resolution += 3
        distances = self.field.distances(self.resolution, step)
        vertices = surface_nets_in_numpy(distances) if IS_FIXED else surface_nets(distances)
        with open(os.path.join(self.folder, f"{step:08}.ply"), "wb") as file:
            file.write(f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nend_header\n".encode())
            file.write(numpy.array(vertices, dtype="<f4").tobytes())


def main():
    culprit = ["get_rays", "rays_of_view", "RayDataset.__getitem__", "RayDataset"]
    loop = Loop("slow-getitem", culprit, verdicts=["host-bound", "input-bound", "balanced"], step_s=0.028)
    meshing = ["surface_nets", "net_cell", "validate_mesh", "MeshValidator.validate_mesh", "MeshValidator"]
    # It looks at what was learned so far and changes nothing of it: an evaluation, by the loop's own code.
    loop.also(["host-work", "evaluation"], meshing, "meshing")
    # The other CPU idles while one worker makes rays, and while a mesh is drawn that has room for two batches only.
    loop.also_right += ["more-workers", "prefetch"]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        validator = MeshValidator(folder, SurfaceField())
        for step, rays in enumerate(loop.batches(loader_of(RayDataset(), 1, 1)), 1):
            loop.train(rays)
            if step % MESH_EVERY == 0:
                loop.timed("meshing", validator.validate_mesh, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
