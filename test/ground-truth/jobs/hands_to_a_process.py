#!/usr/bin/python3
"""Results go through a short queue to a process that keeps them, and takes its time for each.

The loop waits until there is room in the queue. With --fixed the process is fast.
"""

import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def keep_results(results):
    for _ in iter(results.get, None):
        if not IS_FIXED:
            # As a database far away takes it.
            time.sleep(0.025)


def hand_over(results, batch):
    results.put(batch.numpy().mean(axis=1).tolist())


def main():
    ids = ["producer", "shared-lock", "slow-output", "subprocess-wait", "thread-lock", "host-work"]
    results = multiprocessing.Queue(maxsize=2)
    keeper = multiprocessing.Process(target=keep_results, args=(results,))
    keeper.start()
    loop = Loop(ids, ["keep_results", "hand_over", f"pid {keeper.pid}"], "results", step_s=0.006)
    for batch in loop.batches(loader_of(Items(4000, 4096), 16, 2)):
        loop.infer(batch)
        loop.timed("results", hand_over, results, batch)
    loop.report(sys.argv[1])
    results.put(None)
    keeper.join()


if __name__ == "__main__":
    main()
