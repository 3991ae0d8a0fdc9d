#!/usr/bin/python3
"""The outputs of twelve layers are formatted for a debug line at each step, which the log's level then drops.

With --fixed the log formats its lines itself, those that it keeps.

After https://github.com/NOAA-OWP/lstm/pull/62.
"""

import logging
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

LAYERS = 12
LOGGER = logging.getLogger("model")


def trace_layers(outputs):
    for number, output in enumerate(outputs):
        if IS_FIXED:
            LOGGER.debug("layer %d: %s", number, output)
        else:
            LOGGER.debug(f"layer {number}: {output}")


def main():
    logging.basicConfig(level=logging.INFO)
    culprit = ["trace_layers", "_tensor_str"]
    loop = Loop(["host-work", "slow-output"], culprit, "formatting", step_s=0.004)
    for batch in loop.batches(loader_of(Items(11_200, 4096), 16, 1)):
        loop.train(batch)
        loop.timed("formatting", trace_layers, [batch] * LAYERS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
