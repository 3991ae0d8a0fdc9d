#!/usr/bin/python3
"""The whole validation set is scored after every 20 steps. With --fixed once.

After https://github.com/isl-org/Open3D-ML/pull/385.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def score_held_out(loop, batches):
    for batch in batches:
        loop.train(batch)


def main():
    loop = Loop("evaluation", "score_held_out", "evaluation", step_s=0.008, also_right=["not-input"])
    held_out = list(loader_of(Items(480, 4096), 16, 0))
    for step, batch in enumerate(loop.batches(loader_of(Items(4800, 4096), 16, 2))):
        loop.train(batch)
        if step == 0 or (not IS_FIXED and step % 20 == 0):
            loop.timed("evaluation", score_held_out, loop, held_out)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
