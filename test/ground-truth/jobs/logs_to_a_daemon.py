#!/usr/bin/python3
"""Each step is logged to the machine's log daemon over its socket, and that one takes the lines slowly.

With --fixed it is fast.
"""

import logging
import logging.handlers
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of


def daemon():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        path, pid = file.read().split()
        return path, pid


def log_progress(logger, step, batch):
    for name in range(8):
        logger.info("step %d: layer %d %r", step, name, batch[0, :32].tolist())


def main():
    path, pid = daemon()
    logger = logging.getLogger("train")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(logging.handlers.SysLogHandler(path))
    loop = Loop("slow-output", ["log_progress", f"pid {pid}", "slow-syslogd"], "log", step_s=0.006)
    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 2))):
        loop.train(batch)
        loop.timed("log", log_progress, logger, step, batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
