#!/usr/bin/python3
"""Nothing is wrong: a thread of the job's own keeps a queue of batches full, another one writes the losses down."""

import os
import queue
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop

BATCHES = 400


def fill(ready):
    for number in range(BATCHES):
        ready.put(torch.full((16, 4096), float(number)))
    ready.put(None)


def batches_of(ready):
    while (batch := ready.get()) is not None:
        yield batch


def write_losses(losses, file):
    while (loss := losses.get()) is not None:
        file.write(f"{loss}\n")


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.015)
    ready, losses = queue.Queue(maxsize=8), queue.Queue()
    threading.Thread(target=fill, args=(ready,), daemon=True).start()
    with tempfile.TemporaryFile("w", dir="/var/tmp") as file:
        writer = threading.Thread(target=write_losses, args=(losses, file))
        writer.start()
        for step, batch in enumerate(loop.batches(batches_of(ready))):
            loop.train(batch)
            losses.put(step)
        losses.put(None)
        writer.join()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
