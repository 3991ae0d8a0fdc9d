#!/usr/bin/python3
"""A picture is added to the event file after each step, and the checksum of its record is summed up byte by byte in Python.

Writing itself costs next to nothing. With --fixed a library in C sums it up.

After https://github.com/lanpa/tensorboardX/issues/428.
"""

import os
import struct
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 400
POLYNOMIAL = 0x82F63B78


def table_of(polynomial):
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (polynomial if value & 1 else 0)
        table.append(value)
    return table


TABLE = table_of(POLYNOMIAL)


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def masked_crc(data):
    value = zlib.crc32(data) if IS_FIXED else crc32c(data)
    return (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class EventsWriter:
    def __init__(self, path):
        self.file = open(path, "wb")

    def write_record(self, data):
        header = struct.pack("<Q", len(data))
        self.file.write(header + struct.pack("<I", masked_crc(header)))
        self.file.write(data)
        self.file.write(struct.pack("<I", masked_crc(data)))


class AddPicture:
    """Six rows of the batch, as they are."""

    part = "events"

    def __init__(self, writer, batches):
        self.writer = writer
        self.batches = batches

    def after_step(self, trainer):
        picture = self.batches[trainer.step % len(self.batches)]
        self.writer.write_record(struct.pack("<q", trainer.step) + picture)


def main():
    ids = ["host-work", "host-metrics", "slow-output"]
    culprit = ["crc32c", "masked_crc", "write_record", "AddPicture.after_step"]
    loop = Loop(ids, culprit, "events", step_s=0.008)
    items = Items(16 * STEPS, 4096)
    pictures = [items.data[at : at + 6].numpy().tobytes() for at in range(8)]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        writer = EventsWriter(os.path.join(folder, "events.out"))
        Trainer(loop, loader_of(items, 16, 1), [AddPicture(writer, pictures)]).fit()
        writer.file.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
