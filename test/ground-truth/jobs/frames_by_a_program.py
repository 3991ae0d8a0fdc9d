#!/usr/bin/python3
"""Each sample is a clip, and a program is started to cut its frames. With --fixed they were cut before.

After https://github.com/dexmal/dexbotic/issues/30, of videos that are decoded for each sample.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

CUT = "import sys, time; time.sleep(0.02); sys.stdout.buffer.write(bytes(16384))"


def cut_frames(index):
    return subprocess.run(
        [sys.executable, "-S", "-c", CUT, str(index)], stdout=subprocess.PIPE, check=True
    ).stdout


class Clips(Dataset):
    def __len__(self):
        return 960

    def __getitem__(self, index):
        frames = bytes(16384) if IS_FIXED else cut_frames(index)
        return torch.frombuffer(bytearray(frames), dtype=torch.float32)


def main():
    loop = Loop(["slow-getitem", "subprocess-wait", "slow-server"], ["cut_frames", "python3"])
    for batch in loop.batches(loader_of(Clips(), 8, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
