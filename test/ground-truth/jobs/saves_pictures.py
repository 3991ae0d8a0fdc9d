#!/usr/bin/python3
"""Inference writes each result as a compressed picture before it takes the next batch. With --fixed it writes them plain.

After https://github.com/hzwer/ECCV2022-RIFE/issues/95.
"""

import os
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def save_picture(path, picture):
    data = picture.numpy().tobytes()
    with open(path, "wb") as file:
        file.write(data if IS_FIXED else zlib.compress(data, 6))


def main():
    ids = ["host-work", "host-metrics", "checkpoint"]
    loop = Loop(ids, ["save_picture"], "saving", step_s=0.006)
    with tempfile.TemporaryDirectory() as folder:
        for batch in loop.batches(loader_of(Items(4800, 4096), 16, 1)):
            loop.train(batch)
            for number, picture in enumerate(batch[:4]):
                loop.timed("saving", save_picture, os.path.join(folder, f"{number}.bin"), picture)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
