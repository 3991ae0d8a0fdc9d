#!/usr/bin/python3
"""Two causes: each frame of a clip is decoded from its keyframe on, and surfaces of masks are measured at every step.

With --fixed frames are decoded in order, one after the other, and every 40th step is measured.

After https://github.com/dmlc/decord/issues/111, https://github.com/meta-pytorch/torchcodec/issues/703 and
https://github.com/Project-MONAI/MONAI/issues/8909.
"""

import os
import sys
import zlib

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 100
BATCH = 8
VIDEOS = 6
FRAMES = 120
KEYFRAME_EVERY = 60
CLIP_FRAMES = 8
STRIDE = 4
SIDE = 96
MASK_SIDE = 128
OBJECTS = 6
MEASURED_EVERY = 40 if IS_FIXED else 1


def encode_video(seed):
    """A keyframe is packed as it is, and each frame after it as what is new in it."""
    chosen = numpy.random.default_rng(seed)
    frame = chosen.integers(0, 256, (SIDE, SIDE, 3), dtype=numpy.uint8)
    packets = []
    for number in range(FRAMES):
        change = chosen.integers(0, 3, frame.shape, dtype=numpy.uint8)
        frame = frame + change
        is_key = number % KEYFRAME_EVERY == 0
        packets.append(zlib.compress((frame if is_key else change).tobytes(), 1))
    return packets


class VideoReader:
    def __init__(self, packets):
        self.packets = packets
        self.frame = None
        self.next = 0

    def seek_accurate(self, number):
        self.next = number - number % KEYFRAME_EVERY

    def decode_next(self):
        packed = numpy.frombuffer(zlib.decompress(self.packets[self.next]), dtype=numpy.uint8)
        change = packed.reshape(SIDE, SIDE, 3)
        self.frame = change if self.next % KEYFRAME_EVERY == 0 else self.frame + change
        self.next += 1
        return self.frame

    def get_frame(self, number):
        if not (IS_FIXED and self.frame is not None and self.next <= number):
            self.seek_accurate(number)
        while self.next <= number:
            self.decode_next()
        return self.frame


class VideoClips(Dataset):
    def __init__(self):
        self.videos = [encode_video(seed) for seed in range(VIDEOS)]

    def __len__(self):
        return STEPS * BATCH

    def read_clip(self, index):
        reader = VideoReader(self.videos[index % VIDEOS])
        # Later clips of a video lie further from its keyframe.
        first = 20 + index * 7 % 12
        return numpy.stack([reader.get_frame(first + STRIDE * number) for number in range(CLIP_FRAMES)])

    def __getitem__(self, index):
        return torch.from_numpy(self.read_clip(index).transpose(0, 3, 1, 2).copy())


def mask_edges(mask):
    """Places at which an object has background beside it."""
    inner = mask[1:-1, 1:-1] & mask[:-2, 1:-1] & mask[2:, 1:-1] & mask[1:-1, :-2] & mask[1:-1, 2:]
    return numpy.argwhere(mask[1:-1, 1:-1] & ~inner)


def surface_distances(edges, others):
    """Of each place of a surface to the nearest one of the other."""
    apart = edges[:, None, :] - others[None, :, :]
    return numpy.sqrt((apart**2).sum(axis=2)).min(axis=1)


class SurfaceDistanceMetric:
    def __init__(self):
        self.rows, self.columns = numpy.mgrid[0:MASK_SIDE, 0:MASK_SIDE]
        self.buffer = []

    def predict_mask(self, number, step, shift):
        """An ellipse that moves over the picture."""
        row, column = 50 + 4 * number + shift, 60 + step % 8
        return ((self.rows - row) / 40) ** 2 + ((self.columns - column) / 34) ** 2 < 1

    def measure_masks(self, step):
        for number in range(OBJECTS):
            predicted = mask_edges(self.predict_mask(number, step, 2))
            wanted = mask_edges(self.predict_mask(number, step, 0))
            there = surface_distances(predicted, wanted)
            back = surface_distances(wanted, predicted)
            self.buffer.append(max(numpy.percentile(there, 95), numpy.percentile(back, 95)))


def main():
    decoding = ["decode_next", "get_frame", "read_clip", "VideoReader", "VideoClips.__getitem__"]
    loop = Loop("slow-getitem", decoding, step_s=0.056)
    measuring = ["surface_distances", "measure_masks", "mask_edges", "SurfaceDistanceMetric"]
    loop.also(["host-metrics", "host-work"], measuring, "measuring")
    loop.verdicts = ["host-bound", "input-bound", "balanced"]
    metric = SurfaceDistanceMetric()
    for step, clips in enumerate(loop.batches(loader_of(VideoClips(), BATCH, 2))):
        loop.train(clips)
        if step % MEASURED_EVERY == 0:
            loop.timed("measuring", metric.measure_masks, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
