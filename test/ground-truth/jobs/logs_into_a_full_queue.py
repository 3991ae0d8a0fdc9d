#!/usr/bin/python3
"""Log records go through a multiprocessing queue of ten to a process that writes each and flushes it to the disk.

With --fixed the queue holds as many as there are.
"""

import logging
import logging.handlers
import multiprocessing
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

RECORDS_A_STEP = 4
WRITE_S = 0.003


def write_records(records, path):
    with open(path, "w", encoding="utf8") as file:
        while (record := records.get()) is not None:
            file.write(record.getMessage() + "\n")
            file.flush()
            os.fsync(file.fileno())
            time.sleep(WRITE_S)


class BlockingQueueHandler(logging.handlers.QueueHandler):
    def enqueue(self, record):
        self.queue.put(record)


def main():
    loop = Loop("slow-output", ["BlockingQueueHandler.enqueue", "tell_step"], "logging", step_s=0.006)
    context = multiprocessing.get_context("fork")
    records = context.Queue(100_000 if IS_FIXED else 10)
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
        writer = context.Process(target=write_records, args=(records, file.name), daemon=True)
        writer.start()
        log = logging.getLogger("run")
        log.setLevel(logging.INFO)
        log.addHandler(BlockingQueueHandler(records))
        step = 0

        def tell_step(batch):
            for part in range(RECORDS_A_STEP):
                log.info("step %d part %d mean %.3f", step, part, float(batch[0, part]))

        for batch in loop.batches(loader_of(Items(16 * 350, 4096), 16, 1)):
            loop.train(batch)
            step += 1
            loop.timed("logging", tell_step, batch)
        loop.report(sys.argv[1])
        writer.kill()
        records.cancel_join_thread()


if __name__ == "__main__":
    main()
