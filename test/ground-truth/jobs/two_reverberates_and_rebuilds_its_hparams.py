#!/usr/bin/python3
"""Two causes: workers lay an echo over each clip value by value, and the list of all parameters is written as YAML often.

That list holds the names of the clips too. With --fixed the echo goes by Fourier transform, and the list is written once.

After https://github.com/iver56/torch-audiomentations/issues/152 and https://github.com/CUNY-CL/yoyodyne/issues/32.
"""

import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
import yaml
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

CLIPS = 64
BATCH = 8
BATCHES = 420
SAMPLES = 8000
ECHO = 300
EVERY = 6


def read_impulse():
    """A hall, as it answers to a clap."""
    chosen = numpy.random.default_rng(4)
    return (chosen.normal(size=ECHO) * numpy.exp(-numpy.arange(ECHO) / 600)).astype(numpy.float32)


def reverberate(clip, impulse):
    if not IS_FIXED:
        return numpy.convolve(clip, impulse)[: len(clip)]
    size = 1 << (len(clip) + len(impulse)).bit_length()
    spectrum = numpy.fft.rfft(clip, size) * numpy.fft.rfft(impulse, size)
    return numpy.fft.irfft(spectrum, size)[: len(clip)]


class Commands(Dataset):
    def __init__(self):
        self.clips = numpy.random.default_rng(5).normal(size=(CLIPS, SAMPLES)).astype(numpy.float32)
        self.impulse = read_impulse()

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        echoed = reverberate(self.clips[index % CLIPS], self.impulse)
        return torch.from_numpy((echoed / abs(echoed).max()).astype(numpy.float32))


class CsvLogger:
    """Writes its metrics, and beside them with what parameters they came about."""

    part = "hparams"

    def __init__(self, folder, hparams):
        self.folder = folder
        self.hparams = hparams
        self.metrics = open(os.path.join(folder, "metrics.csv"), "w", encoding="utf8")
        self.save_hparams_to_yaml()

    def after_step(self, trainer):
        self.metrics.write(f"{trainer.step},{trainer.loss}\n")
        if trainer.step % EVERY == 0:
            self.save()

    def save(self):
        self.metrics.flush()
        if not IS_FIXED:
            self.save_hparams_to_yaml()

    def save_hparams_to_yaml(self):
        with open(os.path.join(self.folder, "hparams.yaml"), "w", encoding="utf8") as file:
            yaml.dump(self.hparams, file)


def all_parameters():
    clips = [{"path": f"commands/{number:04d}.wav", "word": "left", "speaker": number % 7} for number in range(200)]
    return {"lr": 0.001, "optimizer": {"name": "adamw", "betas": [0.9, 0.98]}, "echo": ECHO, "train_set": clips}


def main():
    loop = Loop(
        ["slow-getitem", "gpu-augment"],
        ["reverberate", "convolve", "Commands.__getitem__"],
        verdicts=["input-bound", "host-bound"],
        step_s=0.004,
    )
    ids = ["slow-output", "checkpoint", "host-work", "host-metrics"]
    loop.also(ids, ["save_hparams_to_yaml", "CsvLogger", "hparams.yaml", "yaml"], "hparams")
    # Two workers and the loop have more to do than two CPUs can.
    loop.also_right += ["cpu-wait"]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        logger = CsvLogger(folder, all_parameters())
        Trainer(loop, loader_of(Commands(), BATCH, 2), [logger]).fit()
        logger.metrics.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
