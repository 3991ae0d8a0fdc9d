#!/usr/bin/python3
"""Nothing is wrong: each step logs a line to a buffered file and writes its loss to a list."""

import logging
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of


def main():
    loop = Loop(step_s=0.03)
    losses = []
    with tempfile.TemporaryDirectory() as folder:
        logging.basicConfig(filename=os.path.join(folder, "train.log"), level=logging.INFO)
        for step, batch in enumerate(loop.batches(loader_of(Items(4000, 4096), 16, 2))):
            loop.train(batch)
            losses.append(float(batch[0, 0]))
            logging.info("step %d loss %.4f", step, losses[-1])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
