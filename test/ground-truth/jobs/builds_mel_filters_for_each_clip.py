#!/usr/bin/python3
"""Speech training: a worker makes the spectrogram of each clip, and builds the same mel filters anew for it.

With --fixed the filters are built once, and kept.

After https://github.com/Rudrabha/Wav2Lip/issues/447, whose data set spends its time on spectrograms.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

CLIPS = 4000
RATE = 22_050
WINDOW = 2048
HOP = 512
MELS = 160


def hz_to_mel(hz):
    return 2595.0 * numpy.log10(1.0 + hz / 700.0)


def mel_to_hz(mel):
    return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)


def build_mel_filters(rate, window, mels):
    """One triangle a row, over the frequencies of a transform."""
    frequencies = numpy.linspace(0.0, rate / 2, window // 2 + 1)
    corners = mel_to_hz(numpy.linspace(hz_to_mel(40.0), hz_to_mel(rate / 2), mels + 2))
    filters = numpy.zeros((mels, len(frequencies)), dtype=numpy.float32)
    for row, (low, middle, high) in enumerate(zip(corners, corners[1:], corners[2:])):
        rising = (frequencies - low) / (middle - low)
        falling = (high - frequencies) / (high - middle)
        filters[row] = numpy.maximum(0.0, numpy.minimum(rising, falling)) * (2.0 / (high - low))
    return filters


class AudioProcessor:
    def __init__(self):
        self.window = torch.hann_window(WINDOW)
        self.kept = None

    def mel_filters(self):
        if self.kept is None or not IS_FIXED:
            self.kept = torch.from_numpy(build_mel_filters(RATE, WINDOW, MELS))
        return self.kept

    def log_mel(self, samples):
        frames = samples.unfold(0, WINDOW, HOP) * self.window
        power = torch.fft.rfft(frames).abs().square()
        return torch.log(self.mel_filters() @ power.T + 1e-5)


class Clips(Dataset):
    """Random crops of a few long recordings."""

    def __init__(self, processor):
        self.processor = processor
        self.recordings = torch.randn(6, RATE * 4)

    def __len__(self):
        return CLIPS

    def crop_of(self, index):
        begin = (index * 977) % (RATE * 3)
        return self.recordings[index % len(self.recordings), begin : begin + 16_384]

    def __getitem__(self, index):
        return self.processor.log_mel(self.crop_of(index))


def main():
    culprit = ["build_mel_filters", "AudioProcessor.mel_filters", "AudioProcessor.log_mel", "Clips.__getitem__"]
    loop = Loop(["slow-getitem", "gpu-augment"], culprit, step_s=0.009)
    for batch in loop.batches(loader_of(Clips(AudioProcessor()), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
