#!/usr/bin/python3
"""Predictions go through a short queue to a thread that puts each batch of them on the disk for sure.

The loop waits until there is room in the queue. With --fixed the thread flushes at every 40th batch.

After https://github.com/kaiko-ai/eva/issues/146.
"""

import os
import queue
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def write_predictions(path, predictions):
    with open(path, "wb") as file:
        for number, batch in enumerate(iter(predictions.get, None)):
            file.write(batch)
            if not IS_FIXED or number % 40 == 0:
                file.flush()
                os.fsync(file.fileno())
                # What the disk of a shared machine takes for it.
                time.sleep(0.02)


def keep_predictions(predictions, batch):
    predictions.put(batch.numpy().tobytes())


def main():
    ids = ["thread-lock", "producer", "slow-output", "checkpoint"]
    loop = Loop(ids, ["write_predictions", "keep_predictions"], "predictions", step_s=0.006)
    predictions = queue.Queue(maxsize=2)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "predictions.bin")
        writer = threading.Thread(target=write_predictions, args=(path, predictions))
        writer.start()
        for batch in loop.batches(loader_of(Items(4000, 4096), 16, 2)):
            loop.infer(batch)
            loop.timed("predictions", keep_predictions, predictions, batch)
        loop.report(sys.argv[1])
        predictions.put(None)
        writer.join()


if __name__ == "__main__":
    main()
