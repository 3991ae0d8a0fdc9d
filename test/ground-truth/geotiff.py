"""Tiled rasters in the form of a TIFF, as far as a job and the bucket beside it need it: one band, deflated tiles."""

import struct
import zlib

import numpy

HEADER_BYTES = 4096
TILE = 64
TILES = 16
# Numbers of the tags that say where tiles are, and the type of their values: 32 bits.
OFFSETS, LENGTHS, LONG = 324, 325, 4


def encode_raster():
    """The directory of tags comes first, as in rasters that are meant for a cloud."""
    chosen = numpy.random.default_rng(5)
    tiles = [zlib.compress(encode_tile(chosen), 1) for _ in range(TILES)]
    offsets = [HEADER_BYTES + sum(map(len, tiles[:number])) for number in range(TILES)]
    values_at = 8 + 2 + 2 * 12 + 4
    tags = struct.pack("<HHII", OFFSETS, LONG, TILES, values_at)
    tags += struct.pack("<HHII", LENGTHS, LONG, TILES, values_at + 4 * TILES)
    head = struct.pack("<2sHIH", b"II", 42, 8, 2) + tags + struct.pack("<I", 0)
    head += struct.pack(f"<{2 * TILES}I", *offsets, *map(len, tiles))
    return head.ljust(HEADER_BYTES, b"\0") + b"".join(tiles)


def encode_tile(chosen):
    return chosen.integers(0, 4000, (TILE, TILE)).astype(numpy.uint16).tobytes()


def read_directory(head):
    """Where each tile lies and how long it is."""
    _, _, at, count = struct.unpack_from("<2sHIH", head)
    values = {}
    for entry in range(count):
        tag, _, length, place = struct.unpack_from("<HHII", head, at + 2 + 12 * entry)
        values[tag] = struct.unpack_from(f"<{length}I", head, place)
    return list(zip(values[OFFSETS], values[LENGTHS]))


def decode_tile(packed):
    return numpy.frombuffer(zlib.decompress(packed), dtype=numpy.uint16).reshape(TILE, TILE)
