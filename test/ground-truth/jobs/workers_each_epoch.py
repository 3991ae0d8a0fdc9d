#!/usr/bin/python3
"""The workers are started anew for each of many short epochs. With --fixed they persist.

After https://github.com/pytorch/pytorch/issues/15849.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def main():
    loop = Loop("persistent-workers", "persistent_workers", step_s=0.004)
    loader = loader_of(Items(320, 4096), 16, 2, persistent_workers=IS_FIXED)
    for batch in loop.batches(loader, epochs=30):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
