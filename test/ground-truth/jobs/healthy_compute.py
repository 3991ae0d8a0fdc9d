#!/usr/bin/python3
"""Nothing is wrong: the GPU computes, and batches are there before they are asked for."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of


def main():
    loop = Loop(step_s=0.03)
    for batch in loop.batches(loader_of(Items(4000, 4096), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
