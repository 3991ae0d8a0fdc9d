#!/usr/bin/python3
"""A thread sends metrics to a slow service and keeps the lock that the loop needs to add its own.

With --fixed it sends without the lock.
"""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

lock = threading.Lock()
metrics = []


def send(batch):
    time.sleep(0.04)


def send_metrics():
    while True:
        with lock:
            taken = metrics[:]
            metrics.clear()
            if not IS_FIXED:
                send(taken)
        if IS_FIXED:
            send(taken)
        time.sleep(0.005)


def add_metric(value):
    with lock:
        metrics.append(value)


def main():
    loop = Loop("thread-lock", ["send_metrics", "add_metric"], "lock", step_s=0.008)
    threading.Thread(target=send_metrics, daemon=True).start()
    for batch in loop.batches(loader_of(Items(2400, 4096), 16, 2)):
        loop.train(batch)
        loop.timed("lock", add_metric, float(batch[0, 0]))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
