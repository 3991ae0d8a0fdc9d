#!/usr/bin/python3
"""Two causes: spawned workers add up the energy of speech sample by sample, and every other step is scored by intelligibility.

A worker draws segments until one has enough speech in it. With --fixed it was noted before which have, and every 40th
step is scored.

After https://github.com/mhlevgen/DCUNetTorchSound/issues/2 and https://github.com/microsoft/DNS-Challenge/issues/167.
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

STEPS = 130
BATCH = 8
SCORED_EVERY = 40 if IS_FIXED else 2
SAMPLE_RATE = 16_000
SEGMENT = 2 * SAMPLE_RATE
HOP = SAMPLE_RATE // 2
RECORDINGS = 6
NOISES = 2
SECONDS = 24
TURN_S = 3
ENERGY_THRESHOLD = 0.13
ACTIVE = 0.55
EPSILON = 1e-12

# Of the measure of intelligibility.
RATE_OF_MEASURE = 10_000
FRAME = 256
BANDS = 15
LOWEST_HZ = 150
FRAMES_A_SEGMENT = 30
CLIPPED_AT = 1 + 10 ** (15 / 20)
RANGE_DB = 40


def record(seed, pauses):
    """Syllables with pauses between sentences, or the steady noise of a room."""
    drawn = numpy.random.default_rng(seed)
    times = numpy.arange(SECONDS * SAMPLE_RATE) / SAMPLE_RATE
    voice = sum(numpy.sin(2 * numpy.pi * 130 * number * times) / number for number in range(1, 9))
    syllables = numpy.clip(numpy.sin(2 * numpy.pi * 3 * times), 0, 1)
    spoken = (drawn.random(SECONDS // TURN_S) > pauses).repeat(TURN_S * SAMPLE_RATE)
    return (0.2 * voice * syllables * spoken + 0.001 * drawn.normal(size=len(times))).astype(numpy.float32)


def activity_detector(audio):
    """The part of frames of 50 ms in which somebody speaks."""
    window = SAMPLE_RATE // 20
    active, before = 0, 0.0
    starts = range(0, len(audio), window)
    for start in starts:
        energy = 20 * numpy.log10(sum(audio[start : start + window] ** 2) + EPSILON)
        probability = 1 / (1 + numpy.exp(1 - 0.2 * energy))
        smoothing = 0.8 if probability > before else 0.05
        before = smoothing * probability + (1 - smoothing) * before
        active += before > ENERGY_THRESHOLD
    return active / len(starts)


class NoisySpeech(Dataset):
    """Each sample is a segment of speech and the same in noise."""

    def __init__(self):
        self.speech = [record(seed, 0.5) for seed in range(RECORDINGS)]
        self.noise = [record(100 + seed, 0.3)[::-1].copy() for seed in range(RECORDINGS)]
        # Where somebody speaks, if that is known: workers get it with the rest.
        self.speech_places = self.note_active(self.speech) if IS_FIXED else None
        self.noise_places = self.note_active(self.noise) if IS_FIXED else None

    def note_active(self, recordings):
        starts = range(0, SECONDS * SAMPLE_RATE - SEGMENT, HOP)
        places = [(number, start) for number in range(RECORDINGS) for start in starts]
        return [(number, start) for number, start in places if self.is_active(recordings[number][start : start + SEGMENT])]

    def is_active(self, segment):
        return activity_detector(segment) > ACTIVE

    def draw_segment(self, recordings, places, drawn):
        if places is not None:
            number, start = places[drawn.integers(len(places))]
            return recordings[number][start : start + SEGMENT]
        while True:
            recording = recordings[drawn.integers(RECORDINGS)]
            start = HOP * drawn.integers((len(recording) - SEGMENT) // HOP)
            segment = recording[start : start + SEGMENT]
            if self.is_active(segment):
                return segment

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        drawn = numpy.random.default_rng(index)
        clean = self.draw_segment(self.speech, self.speech_places, drawn)
        noise = sum(self.draw_segment(self.noise, self.noise_places, drawn) for _ in range(NOISES))
        level = 10 ** (-drawn.uniform(0, 20) / 20) * numpy.sqrt((clean**2).mean() / ((noise**2).mean() + EPSILON))
        return torch.from_numpy(numpy.stack([clean, clean + level.astype(numpy.float32) * noise]))


class Intelligibility:
    """How alike short pieces of clean and enhanced speech are, in thirds of an octave."""

    def __init__(self):
        self.window = numpy.hanning(FRAME + 2)[1:-1]
        self.octaves = self.third_octaves()
        self.scores = []

    def third_octaves(self):
        places = numpy.linspace(0, RATE_OF_MEASURE / 2, FRAME + 1)
        centres = LOWEST_HZ * 2 ** (numpy.arange(BANDS) / 3)
        return ((places >= centres[:, None] * 2 ** (-1 / 6)) & (places < centres[:, None] * 2 ** (1 / 6))).astype(float)

    def frames_of(self, audio):
        return numpy.array([self.window * audio[at : at + FRAME] for at in range(0, len(audio) - FRAME, FRAME // 2)])

    def remove_silent_frames(self, clean, enhanced):
        clean, enhanced = self.frames_of(clean), self.frames_of(enhanced)
        energies = 20 * numpy.log10(numpy.linalg.norm(clean, axis=1) + EPSILON)
        loud = energies > energies.max() - RANGE_DB
        return clean[loud], enhanced[loud]

    def bands_of(self, frames):
        return numpy.sqrt(self.octaves @ (numpy.abs(numpy.fft.rfft(frames, 2 * FRAME, axis=1)) ** 2).T)

    def correlate_segments(self, clean, enhanced):
        total, count = 0.0, 0
        for end in range(FRAMES_A_SEGMENT, clean.shape[1]):
            piece, heard = clean[:, end - FRAMES_A_SEGMENT : end], enhanced[:, end - FRAMES_A_SEGMENT : end]
            loudness = numpy.linalg.norm(piece, axis=1) / (numpy.linalg.norm(heard, axis=1) + EPSILON)
            heard = numpy.minimum(heard * loudness[:, None], piece * CLIPPED_AT)
            piece, heard = piece - piece.mean(axis=1)[:, None], heard - heard.mean(axis=1)[:, None]
            norms = numpy.linalg.norm(piece, axis=1) * numpy.linalg.norm(heard, axis=1)
            total += ((piece * heard).sum(axis=1) / (norms + EPSILON)).sum()
            count += BANDS
        return total / max(count, 1)

    def score(self, clean, enhanced):
        places = numpy.arange(0, len(clean), SAMPLE_RATE / RATE_OF_MEASURE)
        clean, enhanced = [numpy.interp(places, numpy.arange(len(audio)), audio) for audio in (clean, enhanced)]
        frames = self.remove_silent_frames(clean, enhanced)
        return self.correlate_segments(*[self.bands_of(each) for each in frames])

    def update(self, batch):
        for clean, noisy in batch.numpy():
            self.scores.append(self.score(clean, 0.7 * noisy + 0.3 * clean))


def main():
    detecting = ["activity_detector", "is_active", "draw_segment", "NoisySpeech.__getitem__"]
    loop = Loop("slow-getitem", detecting, step_s=0.032)
    # It is a measure, and it is worked out in Python by the loop itself.
    scoring = ["correlate_segments", "score", "Intelligibility", "update", "bands_of", "remove_silent_frames", "frames_of"]
    loop.also(["host-metrics", "host-work"], scoring, "scoring")
    loop.verdicts = ["host-bound", "input-bound", "balanced"]
    metric = Intelligibility()
    loader = loader_of(NoisySpeech(), BATCH, 2, multiprocessing_context="spawn")
    for step, batch in enumerate(loop.batches(loader), 1):
        loop.train(batch)
        if step % SCORED_EVERY == 0:
            loop.timed("scoring", metric.update, batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
