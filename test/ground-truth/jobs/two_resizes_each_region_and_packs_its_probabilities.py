#!/usr/bin/python3
"""Two causes: collate_fn resizes the mask of each region for deep supervision, and probabilities are saved packed at times.

Regions overlap, so that each has a mask of its own, and each is brought to three smaller sizes by linear interpolation. With
--fixed masks are thinned out instead, and probabilities are saved as they are.

After https://github.com/MIC-DKFZ/nnUNet/issues/2136 and https://github.com/IMSY-DKFZ/simpa/issues/113.
"""

import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SCANS = 5
REGIONS = 8
SHAPE = (32, 64, 64)
SCALES = (2, 4, 8)
BATCH = 2
BATCHES = 180
SAVE_EVERY = 12


def draw_regions(drawn):
    """Of a tumour: each lies within the one before."""
    places = numpy.stack(numpy.meshgrid(*[numpy.arange(size) for size in SHAPE], indexing="ij"), axis=-1)
    centre = numpy.array(SHAPE) / 2 + drawn.uniform(-4, 4, 3)
    distance = numpy.sqrt(((places - centre) ** 2).sum(axis=-1)) + drawn.normal(0, 0.5, SHAPE)
    radii = numpy.linspace(14, 4, REGIONS)
    return numpy.stack([distance < radius for radius in radii]).astype(numpy.uint8)


class BrainTumours(Dataset):
    def __init__(self):
        drawn = numpy.random.default_rng(31)
        self.regions = [draw_regions(drawn) for _ in range(SCANS)]
        self.images = [drawn.normal(size=(2, *SHAPE)).astype(numpy.float16) for _ in range(SCANS)]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        return self.images[index % SCANS], self.regions[index % SCANS]


def resize_linear(volume, shape):
    for axis, size in enumerate(shape):
        places = (numpy.arange(size) + 0.5) * volume.shape[axis] / size - 0.5
        before = places.astype(numpy.int64).clip(0, volume.shape[axis] - 2)
        part = (places - before).astype(numpy.float32).reshape([-1 if other == axis else 1 for other in range(3)])
        volume = volume.take(before, axis) * (1 - part) + volume.take(before + 1, axis) * part
    return volume


def resize_segmentation(segmentation, shape):
    """Each of its labels by itself, as what lies between two of them would be a third one."""
    resized = numpy.zeros(shape, dtype=segmentation.dtype)
    for label in numpy.unique(segmentation):
        resized[resize_linear((segmentation == label).astype(numpy.float32), shape) >= 0.5] = label
    return resized


class DownsampleSegForDSTransform:
    def __init__(self, scales):
        self.shapes = [tuple(size // scale for size in SHAPE) for scale in scales]

    def downsample(self, regions, shape):
        if IS_FIXED:
            scale = SHAPE[0] // shape[0]
            return regions[..., ::scale, ::scale, ::scale]
        resized = numpy.zeros((*regions.shape[:2], *shape), dtype=regions.dtype)
        for case in range(regions.shape[0]):
            for region in range(regions.shape[1]):
                resized[case, region] = resize_segmentation(regions[case, region], shape)
        return resized

    def __call__(self, regions):
        return [self.downsample(regions, shape) for shape in self.shapes]


class CollateForDeepSupervision:
    """A batch is its images and the regions in all sizes, one after the other."""

    def __init__(self):
        self.downsampling = DownsampleSegForDSTransform(SCALES)

    def __call__(self, cases):
        images = numpy.stack([image for image, _ in cases])
        regions = numpy.stack([region for _, region in cases])
        targets = [regions, *self.downsampling(regions)]
        flat = [target.reshape(BATCH, -1).astype(numpy.float16) for target in targets]
        return torch.from_numpy(numpy.concatenate([images.reshape(BATCH, -1), *flat], axis=1))


class ProbabilityWriter:
    """Keeps what the network says of a case, for ensembles."""

    def __init__(self, folder):
        self.folder = folder

    def probabilities_of(self, batch):
        logits = batch[0, : numpy.prod(SHAPE)].numpy().reshape(SHAPE).astype(numpy.float32)
        shifts = numpy.linspace(-2, 2, REGIONS, dtype=numpy.float32).reshape(-1, 1, 1, 1)
        return (1 / (1 + numpy.exp(shifts - logits))).astype(numpy.float16)

    def save_probabilities(self, batch, step):
        path = os.path.join(self.folder, f"case{step}.npz")
        save = numpy.savez if IS_FIXED else numpy.savez_compressed
        save(path, probabilities=self.probabilities_of(batch))
        os.unlink(path)


def main():
    culprit = ["CollateForDeepSupervision", "DownsampleSegForDSTransform", "downsample", "resize_segmentation"]
    culprit += ["resize_linear"]
    loop = Loop("vector-collate", culprit, verdicts=["input-bound", "host-bound"], step_s=0.018)
    # It saves, and most of that is to pack: work of the loop's own.
    loop.also(["checkpoint", "host-work"], ["save_probabilities", "ProbabilityWriter", "savez_compressed"], "saving")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        writer = ProbabilityWriter(folder)
        loader = loader_of(BrainTumours(), BATCH, 2, shuffle=True, collate_fn=CollateForDeepSupervision())
        for step, batch in enumerate(loop.batches(loader)):
            loop.train(batch)
            if step % SAVE_EVERY == SAVE_EVERY - 1:
                loop.timed("saving", writer.save_probabilities, batch, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
