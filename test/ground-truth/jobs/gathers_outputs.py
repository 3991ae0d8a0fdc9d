#!/usr/bin/python3
"""Every output so far is joined into one tensor after each batch, so that all are copied again. With --fixed once, at the end.

After https://github.com/ulissigroup/amptorch/issues/12.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of


class Outputs:
    def __init__(self):
        self.parts = []

    def append(self, output):
        self.parts.append(output.repeat(1, 4))
        if not IS_FIXED:
            self.parts = [torch.cat(self.parts)]


def main():
    ids = ["host-data-movement", "host-work", "host-metrics"]
    loop = Loop(ids, ["Outputs.append", "append"], "joining", step_s=0.004)
    outputs = Outputs()
    for batch in loop.batches(loader_of(Items(3200, 4096), 16, 1)):
        loop.train(batch)
        loop.timed("joining", outputs.append, batch[:, :512])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
