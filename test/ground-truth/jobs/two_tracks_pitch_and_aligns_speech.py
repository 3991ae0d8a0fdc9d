#!/usr/bin/python3
"""Two causes: a worker tracks the pitch of each clip frame by frame, and at times generated speech is aligned with its model.

They are compared after dynamic time warping, cell by cell in Python. With --fixed the pitch was tracked before, and speech is
generated with the durations of its model, so that there is nothing to align.

After https://github.com/facebookresearch/speech-resynthesis/issues/4 and https://github.com/NVIDIA-NeMo/Speech/pull/5778.
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
from trainer import Trainer

RATE = 16_000
SAMPLES = 16_000
HOP = 160
WINDOW = 640
LOWEST, HIGHEST = 60, 400
CLIPS = 12
BATCH = 6
BATCHES = 128
SCORE_EVERY = 16
SCORED = 6
CEPSTRA = 13
FRAMES = 400
PACED = 360


def draw_clip(seed):
    """A voice: a tone and its overtones, whose pitch wanders."""
    drawn = numpy.random.default_rng(seed)
    pitch = 140 + numpy.cumsum(drawn.normal(0, 0.02, SAMPLES))
    phase = 2 * numpy.pi * numpy.cumsum(pitch) / RATE
    voice = sum(numpy.sin(number * phase) / number for number in (1, 2, 3))
    return (voice + drawn.normal(0, 0.05, SAMPLES)).astype(numpy.float32)


class YinTracker:
    """The lag at which a frame is most like itself."""

    def __init__(self, threshold=0.15):
        self.threshold = threshold
        self.shortest, self.longest = RATE // HIGHEST, RATE // LOWEST

    def difference(self, frame):
        size = WINDOW - self.longest
        head = frame[:size]
        energy = numpy.convolve(frame**2, numpy.ones(size), mode="valid")
        return energy[0] + energy - 2 * numpy.correlate(frame, head, mode="valid")

    def cumulative_mean(self, difference):
        sums = numpy.cumsum(difference[1:])
        normal = numpy.ones(len(difference))
        normal[1:] = difference[1:] * numpy.arange(1, len(difference)) / numpy.maximum(sums, 1e-9)
        return normal

    def pitch_of(self, frame):
        normal = self.cumulative_mean(self.difference(frame))[self.shortest : self.longest]
        below = numpy.flatnonzero(normal < self.threshold)
        if len(below) == 0:
            return 0.0
        lag = below[0]
        while lag + 1 < len(normal) and normal[lag + 1] < normal[lag]:
            lag += 1
        return RATE / (self.shortest + lag)

    def extract_f0(self, clip):
        padded = numpy.pad(clip, WINDOW // 2)
        begins = range(0, SAMPLES, HOP)
        return numpy.array([self.pitch_of(padded[begin : begin + WINDOW]) for begin in begins], dtype=numpy.float32)


class CodecDataset(Dataset):
    """Speech and its pitch, for a network that learns to say it again."""

    def __init__(self):
        self.clips = [draw_clip(seed) for seed in range(CLIPS)]
        self.tracker = YinTracker()
        self.tracked = [self.tracker.extract_f0(clip) for clip in self.clips] if IS_FIXED else None

    def __len__(self):
        return BATCHES * BATCH

    def get_f0(self, index):
        return self.tracked[index] if self.tracked else self.tracker.extract_f0(self.clips[index])

    def __getitem__(self, index):
        clip = self.clips[index % CLIPS]
        f0 = numpy.repeat(self.get_f0(index % CLIPS), HOP)
        return torch.from_numpy(numpy.stack([clip, f0]))


def warp(distances):
    """The cost of the cheapest way from the first pair of frames to the last one."""
    rows, columns = distances.shape
    cost = [[float("inf")] * (columns + 1) for _ in range(rows + 1)]
    cost[0][0] = 0.0
    for row, line in enumerate(distances.tolist()):
        for column, distance in enumerate(line):
            before = min(cost[row][column], cost[row][column + 1], cost[row + 1][column])
            cost[row + 1][column + 1] = distance + before
    return cost[rows][columns]


class MelCepstralDistortion:
    """Of what the network says, which is here the model at another pace."""

    part = "distortion"

    def __init__(self):
        drawn = numpy.random.default_rng(9)
        self.references = numpy.cumsum(drawn.normal(0, 0.3, (SCORED, FRAMES, CEPSTRA)), axis=1)
        self.drawn = drawn
        self.scores = []

    def generate(self, reference):
        pace = numpy.arange(FRAMES) if IS_FIXED else numpy.sort(self.drawn.choice(FRAMES, PACED, replace=False))
        return reference[pace] + self.drawn.normal(0, 0.1, (len(pace), CEPSTRA))

    def distort(self, reference, generated):
        if IS_FIXED:
            cost = numpy.linalg.norm(reference - generated, axis=1).sum()
        else:
            cost = warp(numpy.sqrt(((reference[:, None] - generated[None]) ** 2).sum(axis=-1)))
        return 10 / numpy.log(10) * numpy.sqrt(2) * cost / len(reference)

    def after_step(self, trainer):
        if trainer.step % SCORE_EVERY == 0:
            pairs = [(reference, self.generate(reference)) for reference in self.references]
            self.scores.append(numpy.mean([self.distort(*pair) for pair in pairs]))


class SpeechTrainer(Trainer):
    def train_step(self, batch):
        super().train_step(batch.view(BATCH, -1))


def main():
    culprit = ["extract_f0", "pitch_of", "difference", "cumulative_mean", "YinTracker", "get_f0"]
    loop = Loop("slow-getitem", culprit, verdicts=["input-bound", "host-bound"], step_s=0.028)
    # That it is a metric no name says: its function is the answer.
    loop.also(["host-metrics", "evaluation", "host-work"], ["warp", "distort", "MelCepstralDistortion"], "distortion")
    # While speech is aligned, two workers and the loop have more to do than two CPUs can.
    loop.also_right += ["cpu-wait"]
    SpeechTrainer(loop, loader_of(CodecDataset(), BATCH, 2), [MelCepstralDistortion()]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
