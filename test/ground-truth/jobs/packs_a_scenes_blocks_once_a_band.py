#!/usr/bin/python3
"""Land cover of a satellite scene: scores are written band by band into a raster that keeps all bands of a block together.

The writer has room for two blocks, so that each is unpacked and packed again for every band. With --fixed all bands
are written at once, and left to be packed when the scene is complete.

After https://github.com/GeoscienceAustralia/uncover-ml/issues/50 and https://github.com/kadyb/raster-benchmark/issues/10.
"""

import collections
import os
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 120
BANDS = 7
BLOCK = 96
TILE = 96
TILES_A_ROW = 4
ZLEVEL = 6
BLOCKS_IN_CACHE = 2


class Window(collections.namedtuple("Window", "row column height width")):
    def blocks(self):
        """Numbers of those that it touches, and where it lies in each."""
        for number in range(self.column // BLOCK, (self.column + self.width - 1) // BLOCK + 1):
            begin, end = max(self.column, number * BLOCK), min(self.column + self.width, (number + 1) * BLOCK)
            yield (self.row // BLOCK, number), slice(begin - number * BLOCK, end - number * BLOCK), begin, end


class RasterWriter:
    """A file of packed blocks, pixel by pixel; a block that was packed before is appended anew."""

    def __init__(self, path):
        self.file = open(path, "w+b")
        self.places = {}
        self.cache = collections.OrderedDict()

    def pack(self, pixels):
        return pixels if IS_FIXED else zlib.compress(pixels, ZLEVEL)

    def unpack(self, packed):
        return packed if IS_FIXED else zlib.decompress(packed)

    def read_block(self, key):
        if key not in self.places:
            return numpy.zeros((BLOCK, BLOCK, BANDS), numpy.uint8)
        offset, length = self.places[key]
        self.file.seek(offset)
        unpacked = self.unpack(self.file.read(length))
        return numpy.frombuffer(unpacked, dtype=numpy.uint8).reshape(BLOCK, BLOCK, BANDS).copy()

    def flush_block(self, key, block):
        packed = self.pack(block.tobytes())
        self.places[key] = (self.file.seek(0, os.SEEK_END), len(packed))
        self.file.write(packed)

    def block_at(self, key):
        if key not in self.cache:
            if len(self.cache) == BLOCKS_IN_CACHE:
                self.flush_block(*self.cache.popitem(last=False))
            self.cache[key] = self.read_block(key)
        self.cache.move_to_end(key)
        return self.cache[key]

    def write(self, scores, window, bands):
        for key, columns, begin, end in window.blocks():
            part = scores[:, begin - window.column : end - window.column, bands]
            self.block_at(key)[:, columns, bands] = part

    def close(self):
        while self.cache:
            self.flush_block(*self.cache.popitem())
        self.file.close()


class SceneTiles(Dataset):
    """Red, green, blue and infrared of each tile of a row."""

    def __init__(self):
        self.tiles = torch.rand(9, 4, TILE, TILE, generator=torch.Generator().manual_seed(29))

    def __len__(self):
        return STEPS * TILES_A_ROW

    def __getitem__(self, index):
        return self.tiles[index % len(self.tiles)]


def predict_scores():
    """Of each class, smooth within a field and uncertain at its borders; one for each of some rows of tiles."""
    drawn = numpy.random.default_rng(31)
    width = TILE * TILES_A_ROW
    fields = drawn.integers(0, 200, (3, BLOCK // 16, width // 16, BANDS))
    scores = fields.repeat(16, axis=1).repeat(16, axis=2) + drawn.integers(0, 6, (3, BLOCK, width, BANDS))
    return scores.astype(numpy.uint8)


def write_row(writer, row, scores):
    window = Window(row * BLOCK, 0, BLOCK, TILE * TILES_A_ROW)
    if IS_FIXED:
        writer.write(scores, window, slice(None))
        return
    for band in range(BANDS):
        writer.write(scores, window, slice(band, band + 1))


def main():
    culprit = ["flush_block", "block_at", "RasterWriter.write", "write_row", "read_block", "RasterWriter", "pack"]
    # The loop stands still while it writes its results to a file, and most of that is packing them, by its own code.
    loop = Loop(["checkpoint", "host-work"], culprit, "writing", step_s=0.06)
    predicted = predict_scores()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="scene-") as folder:
        writer = RasterWriter(os.path.join(folder, "landcover.tif"))
        for row, tiles in enumerate(loop.batches(loader_of(SceneTiles(), TILES_A_ROW, 1))):
            loop.infer(tiles)
            loop.timed("writing", write_row, writer, row, predicted[row % len(predicted)])
        writer.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
