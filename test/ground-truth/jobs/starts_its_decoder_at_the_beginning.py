#!/usr/bin/python3
"""Recordings of a fast camera are packed by xz, and a clip anywhere in one is read from a new xz that unpacks all before it.

No loader: the training loop itself throws away the frames before the clip, and then takes four batches of it. With --fixed
the recordings were unpacked before, and the loop seeks.

After https://github.com/scikit-video/scikit-video/issues/99 and https://github.com/imageio/imageio/issues/949.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

FRAMES = 800
SIDE = 96
FRAME_BYTES = SIDE * SIDE
CLIPS = 56
BATCH = 8
BATCHES_OF_CLIP = 4


def write_recording(path):
    """Drops that wander, and the noise of the sensor."""
    chosen = numpy.random.default_rng(53)
    rows, columns = numpy.mgrid[0:SIDE, 0:SIDE]
    frames = []
    for number in range(FRAMES):
        drop = 90 * numpy.exp(-((rows - number / 7) ** 2 + (columns - 48) ** 2) / 150)
        frames.append((drop + chosen.integers(0, 8, (SIDE, SIDE))).astype(numpy.uint8).tobytes())
    with open(path, "wb") as file:
        file.write(b"".join(frames))
    if not IS_FIXED:
        subprocess.run(["xz", "-1", path], check=True)


class PackedReader:
    """Frames from the output of a program that can only go forward."""

    def __init__(self, path):
        self.path = path
        self.decoder = None
        self.position = 0

    def reinitialize(self):
        self.close()
        self.decoder = subprocess.Popen(["xz", "-dc", self.path + ".xz"], stdout=subprocess.PIPE)
        self.position = 0

    def close(self):
        if self.decoder is not None:
            self.decoder.kill()
            self.decoder.stdout.close()
            self.decoder.wait()

    def read_frame(self):
        self.position += 1
        return self.decoder.stdout.read(FRAME_BYTES)

    def skip_frames(self, count):
        for _ in range(count):
            self.read_frame()

    def get_data(self, index):
        if self.decoder is None or index < self.position or index > self.position + 100:
            self.reinitialize()
        self.skip_frames(index - self.position)
        return self.read_frame()


class PlainReader:
    def __init__(self, path):
        self.recording = open(path, "rb")

    def get_data(self, index):
        self.recording.seek(index * FRAME_BYTES)
        return self.recording.read(FRAME_BYTES)

    def close(self):
        self.recording.close()


def read_clip(reader, first, count):
    frames = b"".join(reader.get_data(first + number) for number in range(count))
    return torch.frombuffer(bytearray(frames), dtype=torch.uint8).view(count, SIDE, SIDE)


def clip_batches(reader):
    """Four batches of each clip; clips begin anywhere."""
    chosen = numpy.random.default_rng(59)
    count = BATCH * BATCHES_OF_CLIP
    for first in chosen.integers(0, FRAMES - count, CLIPS).tolist():
        yield from read_clip(reader, first, count).split(BATCH)


def main():
    torch.set_num_threads(1)
    culprit = ["xz", "skip_frames", "read_frame", "reinitialize", "get_data", "PackedReader"]
    ids = ["subprocess-wait", "producer", "slow-server"]
    # It is the loop itself that waits for xz: workers could do so ahead of it.
    loop = Loop(ids, culprit, also_right=["workers-zero"], verdicts=["input-bound", "host-bound"], step_s=0.024)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "drops.raw")
        write_recording(path)
        reader = PlainReader(path) if IS_FIXED else PackedReader(path)
        for batch in loop.batches(clip_batches(reader)):
            loop.train(batch)
        reader.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
