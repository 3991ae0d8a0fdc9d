"""Showers of particles in a calorimeter, and the images of them that a network sees."""

import numpy

CELLS = 32
LAYERS = 8
PARTICLES = 1300


def draw_shower(seed):
    """Where its particles lie, and their energies in GeV."""
    chosen = numpy.random.default_rng(seed)
    depth = numpy.minimum(chosen.exponential(3.0, PARTICLES), LAYERS - 1)
    across = chosen.normal(0, 1 + depth[:, None] / 2, (PARTICLES, 2)) * 2 + CELLS / 2
    return across, depth, chosen.exponential(0.4, PARTICLES)


def make_image(across, depth, energies):
    """Energies by cell and layer; those near a cell's border are shared with the cells around it."""
    image = numpy.zeros((LAYERS, CELLS, CELLS))
    cells = numpy.clip(across, 1, CELLS - 2).astype(numpy.int64)
    layers = depth.astype(numpy.int64)
    for rows in (-1, 0, 1):
        for columns in (-1, 0, 1):
            part = numpy.exp(-((cells + (rows, columns) - across) ** 2).sum(axis=1))
            numpy.add.at(image, (layers, cells[:, 0] + rows, cells[:, 1] + columns), energies * part)
    return numpy.log1p(image).astype(numpy.float32)
