#!/usr/bin/python3
"""Wake words: every other clip is made slower or faster by a phase vocoder, frame by frame, in spawned workers.

With --fixed each clip was stretched beforehand, to three lengths, and one of them is taken.

After https://github.com/iver56/audiomentations/issues/190 and https://github.com/iver56/audiomentations/pull/368.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import tempfile
import wave

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

CLIPS = 40
RATE = 16000
LENGTH = 3 * RATE
WINDOW = 512
HOP = 128
BATCHES = 130
BATCH = 16
SPEEDS = (0.85, 0.95, 1.1)
HANN = numpy.hanning(WINDOW).astype(numpy.float32)


def write_clip(path, drawn):
    """A word's vowels: a few harmonics that rise and fall."""
    seconds = numpy.arange(LENGTH) / RATE
    pitch = drawn.uniform(90, 240) * (1 + 0.1 * numpy.sin(2 * numpy.pi * drawn.uniform(0.5, 2) * seconds))
    phase = 2 * numpy.pi * numpy.cumsum(pitch) / RATE
    sound = sum(numpy.sin(number * phase) / number for number in range(1, 6)) * 0.3
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((sound * 20000).astype("<i2").tobytes())


def read_clip(path):
    with wave.open(path) as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768


def fit_length(sound):
    return numpy.pad(sound[:LENGTH], (0, max(0, LENGTH - len(sound))))


def short_time_transform(sound):
    frames = numpy.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
    return numpy.fft.rfft(frames * HANN, axis=1)


def phase_vocoder(spectrum, speed):
    """A frame for each step of `speed`, whose phases go on from those of the one before."""
    advance = numpy.linspace(0, numpy.pi * HOP, spectrum.shape[1])
    steps = numpy.arange(0, len(spectrum) - 1, speed)
    stretched = numpy.empty((len(steps), spectrum.shape[1]), dtype=numpy.complex64)
    phase = numpy.angle(spectrum[0])
    for number, step in enumerate(steps):
        left, right = spectrum[int(step)], spectrum[int(step) + 1]
        part = step % 1.0
        loudness = (1 - part) * numpy.abs(left) + part * numpy.abs(right)
        stretched[number] = loudness * numpy.exp(1j * phase)
        turned = numpy.angle(right) - numpy.angle(left) - advance
        phase += advance + turned - 2 * numpy.pi * numpy.round(turned / (2 * numpy.pi))
    return stretched


def overlap_add(spectrum):
    frames = numpy.fft.irfft(spectrum, axis=1).astype(numpy.float32) * HANN
    sound = numpy.zeros(WINDOW + HOP * (len(frames) - 1), dtype=numpy.float32)
    for number, frame in enumerate(frames):
        sound[number * HOP : number * HOP + WINDOW] += frame
    return sound


class TimeStretch:
    """Applied to a clip with the probability `p`, as the transforms of audio libraries are."""

    def __init__(self, p):
        self.p = p

    def stretch(self, sound, speed):
        return fit_length(overlap_add(phase_vocoder(short_time_transform(sound), speed)))

    def __call__(self, sound, drawn):
        if drawn.random() >= self.p:
            return sound
        return self.stretch(sound, drawn.choice(SPEEDS))


class TakeStretched(TimeStretch):
    """Of what was stretched before."""

    def __init__(self, p, paths):
        super().__init__(p)
        self.stretched = {path: [self.stretch(read_clip(path), speed) for speed in SPEEDS] for path in paths}

    def take(self, path, drawn):
        return self.stretched[path][drawn.integers(len(SPEEDS))] if drawn.random() < self.p else read_clip(path)


class Gain:
    def __call__(self, sound, drawn):
        return sound * numpy.float32(10 ** (drawn.uniform(-12, 12) / 20))


class WakeWords(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.gain = Gain()
        self.time_stretch = TakeStretched(0.5, paths) if IS_FIXED else TimeStretch(0.5)

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        drawn = numpy.random.default_rng(index)
        path = self.paths[index % CLIPS]
        if IS_FIXED:
            sound = self.time_stretch.take(path, drawn)
        else:
            sound = self.time_stretch(read_clip(path), drawn)
        return torch.from_numpy(self.gain(sound, drawn))


def main():
    culprit = ["phase_vocoder", "overlap_add", "TimeStretch", "TimeStretch.__call__", "TimeStretch.stretch", "stretch"]
    # The job's own code, but a transform of sounds as libraries have it.
    loop = Loop(["gpu-augment", "slow-getitem"], [*culprit, "WakeWords.__getitem__"], step_s=0.034)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        paths = [os.path.join(folder, f"clip{number}.wav") for number in range(CLIPS)]
        for number, path in enumerate(paths):
            write_clip(path, numpy.random.default_rng(number))
        for batch in loop.batches(loader_of(WakeWords(paths), BATCH, 2, multiprocessing_context="spawn")):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
