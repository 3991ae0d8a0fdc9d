#!/usr/bin/python3
"""Samples lie in a tar archive that is opened for each of them, and read through from header to header until its name is found.

With --fixed each worker opens it once, and keeps the list of names.

After https://github.com/mlmed/torchxrayvision/pull/27, of how long such a list takes.
"""

import io
import os
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

MEMBERS = 100
BYTES = 4096 * 4


class Archive(Dataset):
    def __init__(self, path):
        self.path = path
        self.opened = None

    def __len__(self):
        return 5120

    def find_member(self, name):
        if self.opened is None or not IS_FIXED:
            if self.opened is not None:
                self.opened.close()
            self.opened = tarfile.open(self.path)
        return self.opened.getmember(name)

    def __getitem__(self, index):
        member = self.find_member(f"scan-{index % MEMBERS}.bin")
        return torch.frombuffer(bytearray(self.opened.extractfile(member).read()), dtype=torch.float32)


def pack(path):
    with tarfile.open(path, "w") as archive:
        for index in range(MEMBERS):
            member = tarfile.TarInfo(f"scan-{index}.bin")
            member.size = BYTES
            archive.addfile(member, io.BytesIO(bytes(BYTES)))


def main():
    loop = Loop("slow-getitem", ["find_member", "getmember", "tarfile.py"], step_s=0.004)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "scans.tar")
        pack(path)
        for batch in loop.batches(loader_of(Archive(path), 16, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
