#!/usr/bin/python3
"""A pool of 8 threads unpacks scans ahead, one for each CPU of a large host; the container may use 0.6 of one.

All of them, and the loop, stand still when that is used up. With --fixed the container may use two CPUs.

After https://github.com/moby/moby/issues/38839, of trainings below a quota.
"""

import collections
import os
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

# A wait that spins would use up the quota.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from limits import run_within
from loop import IS_FIXED

QUOTA_US = 200_000 if IS_FIXED else 60_000
HOST_CPUS = 8
STEPS = 200
SCANS = 8
SHAPE = (32, 64, 64)


def train():
    import numpy
    import torch
    from loop import Loop

    torch.set_num_threads(1)

    def pack_scan(seed):
        values = numpy.random.default_rng(seed).normal(0, 9, SHAPE)
        return zlib.compress(numpy.round(values).astype(numpy.float32).tobytes(), 1)

    packed = [pack_scan(seed) for seed in range(12)]

    def unpack_scan(number):
        scan = numpy.frombuffer(zlib.decompress(packed[number % len(packed)]), dtype=numpy.float32)
        return torch.from_numpy(scan.reshape(SHAPE)[::4, ::2, ::2].copy())

    def unpack_ahead():
        with ThreadPoolExecutor(HOST_CPUS, thread_name_prefix="unpacker") as pool:
            waiting = collections.deque()
            for number in range(STEPS * SCANS + 2 * HOST_CPUS):
                if number < STEPS * SCANS:
                    waiting.append(pool.submit(unpack_scan, number))
                if len(waiting) >= 2 * HOST_CPUS or number >= STEPS * SCANS:
                    yield waiting.popleft().result()
                    if not waiting:
                        return

    def batches():
        scans = unpack_ahead()
        for _ in range(STEPS):
            yield torch.stack([next(scans) for _ in range(SCANS)])

    also_right = ["producer", "slow-getitem", "thread-oversubscription"]
    loop = Loop("cpu-quota", ["0.6 CPU", "0.6", "60 %"], also_right=also_right, step_s=0.004)
    # The GPU's time of a step is longer too, when the loop stands still at its end.
    loop.verdicts = ["input-bound", "host-bound", "balanced"]
    for batch in loop.batches(batches()):
        loop.train(batch)
    loop.report(sys.argv[1])


def main():
    run_within("cpu", (str(QUOTA_US), f"{QUOTA_US} 100000"), train)


if __name__ == "__main__":
    main()
