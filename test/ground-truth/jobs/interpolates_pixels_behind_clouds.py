#!/usr/bin/python3
"""Satellite images of a year: where clouds hide pixels, a spawned worker interpolates the series of each pixel by itself.

Clear patches are resampled as a whole, and quickly. With --fixed the series were interpolated before, once for each patch.

After https://github.com/sentinel-hub/eo-learn/pull/88 and https://github.com/sentinel-hub/eo-learn/pull/78.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

PATCHES = 30
CLOUDY_SHARE = 0.5
SIDE = 28
BANDS = 5
DATES = 30
RESAMPLED_DATES = 18
DAYS = 365
BATCH = 5
BATCHES = 330


class EOPatch:
    """Reflectances by date, row, column and band, and which pixels are not hidden."""

    def __init__(self, drawn):
        self.days = numpy.sort(drawn.choice(DAYS, DATES, replace=False)).astype(float)
        greening = numpy.sin(self.days / DAYS * numpy.pi)[:, None, None, None]
        fields = drawn.uniform(0.2, 0.6, (1, SIDE, SIDE, BANDS))
        self.bands = (greening * fields + drawn.normal(0, 0.02, (DATES, SIDE, SIDE, BANDS))).astype(numpy.float32)
        self.is_data = numpy.ones((DATES, SIDE, SIDE), dtype=bool)
        if drawn.random() < CLOUDY_SHARE:
            self.add_clouds(drawn)

    def add_clouds(self, drawn):
        rows, columns = numpy.mgrid[0:SIDE, 0:SIDE]
        for date in drawn.choice(DATES, DATES // 2, replace=False):
            row, column = drawn.integers(0, SIDE, 2)
            radius = drawn.integers(4, SIDE)
            self.is_data[date] = (rows - row) ** 2 + (columns - column) ** 2 > radius**2


class LinearInterpolationTask:
    """Brings a patch to days that all patches have."""

    def __init__(self):
        self.resampled_days = numpy.linspace(0, DAYS - 1, RESAMPLED_DATES)

    def resample_clear(self, patch):
        after = numpy.searchsorted(patch.days, self.resampled_days).clip(1, DATES - 1)
        before = after - 1
        part = (self.resampled_days - patch.days[before]) / (patch.days[after] - patch.days[before])
        part = part.clip(0, 1).astype(numpy.float32)[:, None, None, None]
        return patch.bands[before] * (1 - part) + patch.bands[after] * part

    def interpolate_data(self, patch):
        """Each pixel has other days on which it is seen."""
        series = patch.bands.reshape(DATES, SIDE * SIDE, BANDS)
        is_data = patch.is_data.reshape(DATES, SIDE * SIDE)
        filled = numpy.empty((RESAMPLED_DATES, SIDE * SIDE, BANDS), dtype=numpy.float32)
        for pixel in range(SIDE * SIDE):
            seen = is_data[:, pixel]
            days = patch.days[seen]
            for band in range(BANDS):
                filled[:, pixel, band] = numpy.interp(self.resampled_days, days, series[seen, pixel, band])
        return filled.reshape(RESAMPLED_DATES, SIDE, SIDE, BANDS)

    def execute(self, patch):
        if patch.is_data.all():
            return self.resample_clear(patch)
        return self.interpolate_data(patch)


class CropTypes(Dataset):
    def __init__(self):
        drawn = numpy.random.default_rng(5)
        self.patches = [EOPatch(drawn) for _ in range(PATCHES)]
        self.interpolation = LinearInterpolationTask()
        self.filled = [self.interpolation.execute(patch) for patch in self.patches] if IS_FIXED else None

    def __len__(self):
        return BATCHES * BATCH

    def get_series(self, index):
        return self.filled[index] if self.filled else self.interpolation.execute(self.patches[index])

    def __getitem__(self, index):
        series = self.get_series(index % PATCHES)
        red, infrared = series[..., 0], series[..., 3]
        vegetation = (infrared - red) / (infrared + red + 1e-6)
        return torch.from_numpy(numpy.concatenate([series, vegetation[..., None]], axis=-1))


def main():
    culprit = ["interpolate_data", "LinearInterpolationTask", "execute", "get_series", "CropTypes.__getitem__"]
    loop = Loop("slow-getitem", culprit, step_s=0.01)
    loader = loader_of(CropTypes(), BATCH, 2, shuffle=True, multiprocessing_context="spawn")
    for batch in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
