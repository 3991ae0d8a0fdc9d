#!/usr/bin/python3
"""A teacher's last token is packed for each clip of speech, but as a view: all of its batch goes into each clip's file.

With --fixed it is cloned before.

After https://github.com/pytorch/pytorch/issues/33101 and https://github.com/threestudio-project/threestudio/pull/457.
"""

import io
import os
import sys
import tarfile
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

CLIPS = 720
A_SHARD = 240
BATCH = 4
SAMPLES = 16_000
TOKENS = 20
WIDTH = 512


class SpeechClips(Dataset):
    def __init__(self):
        self.waveforms = torch.rand(48, SAMPLES)

    def __len__(self):
        return CLIPS

    def __getitem__(self, index):
        waveform = self.waveforms[index % len(self.waveforms)]
        return index, (waveform - waveform.mean()) / waveform.std()


class Teacher:
    """Its hidden states come back from the GPU into one tensor."""

    def __init__(self, loop):
        self.loop = loop
        self.answered = torch.rand(BATCH, TOKENS, WIDTH)

    def extract_features(self, waveforms):
        self.loop.infer(waveforms)
        return self.answered.clone()


def encode_pth(token):
    packed = io.BytesIO()
    torch.save(token.clone() if IS_FIXED else token, packed)
    return packed.getvalue()


class ShardWriter:
    """Compressed archives of features, which the student streams later."""

    def __init__(self, folder):
        self.folder = folder
        self.shards = 0
        self.clips = 0
        self.archive = None

    def next_shard(self):
        self.close()
        self.archive = tarfile.open(os.path.join(self.folder, f"features-{self.shards:05}.tar.gz"), "w:gz")
        self.shards += 1

    def write_sample(self, clip, token):
        if self.clips % A_SHARD == 0:
            self.next_shard()
        data = encode_pth(token)
        entry = tarfile.TarInfo(f"{clip:08}.pth")
        entry.size = len(data)
        self.archive.addfile(entry, io.BytesIO(data))
        self.clips += 1

    def close(self):
        if self.archive is not None:
            self.archive.close()


def pack_features(shards, clips, hidden):
    for clip, tokens in zip(clips.tolist(), hidden):
        shards.write_sample(clip, tokens[-1])


def main():
    culprit = ["encode_pth", "write_sample", "pack_features", "ShardWriter"]
    loop = Loop(["checkpoint", "host-work", "slow-output"], culprit, "packing", step_s=0.03)
    teacher = Teacher(loop)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        shards = ShardWriter(folder)
        for clips, waveforms in loop.batches(loader_of(SpeechClips(), BATCH, 2)):
            hidden = teacher.extract_features(waveforms)
            loop.timed("packing", pack_features, shards, clips, hidden)
        shards.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
