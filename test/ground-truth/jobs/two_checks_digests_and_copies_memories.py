#!/usr/bin/python3
"""Two causes: a worker checks each scan's digest whenever it reads it, and node memories are copied for negatives.

The copies are deep, and there are eight a step. With --fixed digests were checked before, and memories are only read.

After https://github.com/dipy/dipy/issues/2494 and https://github.com/tgm-team/tgm/pull/235.
"""

import copy
import hashlib
import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 320
BATCH = 8
SCANS = 12
SCAN_BYTES = 3 << 20
CROP_BYTES = 16384
NEGATIVES = 8
NODES = 250


def check_digest(path, expected):
    digest = hashlib.md5()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    if digest.hexdigest() != expected:
        raise OSError(f"{path} is not what was put there")


class Scans(Dataset):
    def __init__(self, folder):
        self.paths = [os.path.join(folder, f"scan-{number:02d}.raw") for number in range(SCANS)]
        self.digests = [self.write_scan(path) for path in self.paths]

    def write_scan(self, path):
        scan = os.urandom(SCAN_BYTES)
        with open(path, "wb") as file:
            file.write(scan)
        return hashlib.md5(scan).hexdigest()

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        number = index % SCANS
        if not IS_FIXED:
            check_digest(self.paths[number], self.digests[number])
        with open(self.paths[number], "rb") as file:
            file.seek(CROP_BYTES * (index % 64))
            return torch.frombuffer(bytearray(file.read(CROP_BYTES)), dtype=torch.int32)


class NodeMemory:
    def __init__(self):
        self.nodes = {node: {"seen": [node, node + 1], "at": 0.0, "near": {node + 1: 0.5}} for node in range(NODES)}

    def copy_memory(self):
        return self.nodes if IS_FIXED else copy.deepcopy(self.nodes)

    def score_negatives(self, step):
        self.nodes[step % NODES]["at"] = float(step)
        return sum(self.copy_memory()[(step + negative) % NODES]["at"] for negative in range(NEGATIVES))


def main():
    verdicts = ["input-bound", "host-bound"]
    loop = Loop("slow-getitem", ["check_digest", "Scans.__getitem__"], verdicts=verdicts, step_s=0.005)
    loop.also(["host-work", "host-data-movement"], ["copy_memory", "score_negatives", "deepcopy"], "negatives")
    # Two workers and the loop have more to do than two CPUs can.
    loop.also_right += ["cpu-wait"]
    memory = NodeMemory()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for step, batch in enumerate(loop.batches(loader_of(Scans(folder), BATCH, 2))):
            loop.train(batch)
            loop.timed("negatives", memory.score_negatives, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
