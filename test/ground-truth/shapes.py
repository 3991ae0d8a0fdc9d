"""A program that draws scenes of spheres without end, as the renderers do that synthetic pictures come from.

It writes each frame to its output: red, green, blue and distance of each pixel, as bytes.
"""

import signal
import sys

import numpy
from neighbour import be_called, end_with_parent

SIDE = 64
FRAME_BYTES = 4 * SIDE * SIDE
SPHERES = 7
FAR = 12.0
FLOOR = -1.0
LIGHT = numpy.array([0.5, 0.7, -0.5]) / numpy.sqrt(0.99)


def camera_rays():
    across = numpy.linspace(-0.8, 0.8, SIDE)
    rays = numpy.stack([*numpy.meshgrid(across, -across), numpy.ones((SIDE, SIDE))], axis=-1)
    return (rays / numpy.linalg.norm(rays, axis=-1, keepdims=True)).reshape(-1, 3)


def hit_sphere(origins, rays, centre, radius):
    """How far along each ray a sphere is; FAR where it is not hit."""
    towards = origins - centre
    half = (towards * rays).sum(axis=1)
    inside = half**2 - (towards**2).sum(axis=1) + radius**2
    distance = -half - numpy.sqrt(numpy.maximum(inside, 0))
    return numpy.where((inside > 0) & (distance > 1e-3), distance, FAR)


def render(rays, centres, radii, colours):
    hits = [hit_sphere(numpy.zeros((1, 3)), rays, centre, radius) for centre, radius in zip(centres, radii)]
    floor = numpy.where(rays[:, 1] < -1e-3, FLOOR / numpy.minimum(rays[:, 1], -1e-3), FAR)
    distances = numpy.stack([*hits, floor])
    nearest, distance = distances.argmin(axis=0), numpy.minimum(distances.min(axis=0), FAR)
    points = rays * distance[:, None]
    outwards = points - numpy.vstack([centres, points[:1]])[nearest]
    normals = numpy.where(nearest[:, None] == SPHERES, (0.0, 1.0, 0.0), outwards)
    normals /= numpy.linalg.norm(normals, axis=1, keepdims=True) + 1e-9
    shadows = [hit_sphere(points, LIGHT[None], centre, radius) for centre, radius in zip(centres, radii)]
    bright = numpy.clip(normals @ LIGHT, 0, 1) * (numpy.min(shadows, axis=0) == FAR)
    picture = colours[nearest] * (0.2 + 0.8 * bright[:, None])
    frame = numpy.concatenate([picture, distance[:, None] / FAR], axis=1)
    return (255 * numpy.clip(frame, 0, 1)).astype(numpy.uint8)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    end_with_parent()
    be_called("shapes")
    drawn = numpy.random.default_rng(int(sys.argv[1]))
    rays = camera_rays()
    while True:
        centres = drawn.uniform((-2, -0.6, 3), (2, 1.2, 7), (SPHERES, 3))
        frame = render(rays, centres, drawn.uniform(0.3, 0.9, SPHERES), drawn.random((SPHERES + 1, 3)))
        sys.stdout.buffer.write(frame)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
