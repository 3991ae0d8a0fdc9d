#!/usr/bin/python3
"""How much memory the job has of its own is added up at each step from what the kernel says of each of its mappings.

They are more than a thousand, and most are of libraries. With --fixed the kernel's own count is asked for.

After https://github.com/rwth-i6/returnn/issues/1479.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 260
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


def read_mappings():
    """Each mapping's figures, as psutil's memory_maps has them."""
    mappings = []
    with open("/proc/self/smaps", "rb") as file:
        for line in file:
            fields = line.split(None, 5)
            if not fields[0].endswith(b":"):
                mappings.append({})
            elif fields[0] != b"VmFlags:":
                mappings[-1][fields[0]] = int(fields[1])
    return mappings


def read_count():
    with open("/proc/self/statm", encoding="utf8") as file:
        resident, shared = [int(text) for text in file.read().split()[1:3]]
    return (resident - shared) * PAGE_KIB


class WatchMemory:
    part = "memory"

    def __init__(self):
        self.most = 0

    def own_memory(self):
        if IS_FIXED:
            return read_count()
        return sum(mapping[b"Private_Clean:"] + mapping[b"Private_Dirty:"] for mapping in read_mappings())

    def after_step(self, trainer):
        self.most = max(self.most, self.own_memory())


def main():
    culprit = ["read_mappings", "own_memory", "WatchMemory.after_step"]
    loop = Loop(["host-metrics", "host-work"], culprit, "memory", step_s=0.01)
    Trainer(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [WatchMemory()]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
