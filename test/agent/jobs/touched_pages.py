#!/usr/bin/python3
"""Touches pages of a file that it has mapped, in random order, and that no cache holds.

Writes as JSON to JOB_REPORT which file that was, when it began and ended, and how many of its faults had to read.
"""

import json
import mmap
import os
import random
import resource
import tempfile
import time

BYTES = 64 << 20
TOUCHES = 400


def major_faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


# Not where files are kept in memory.
with tempfile.NamedTemporaryFile(dir="/var/tmp", prefix="stalltrace-touched-") as file:
    file.write(os.urandom(BYTES))
    file.flush()
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    file.seek(0)
    faults = major_faults()
    begin_ns = time.monotonic_ns()
    touched = sum(mapped[place] for place in random.sample(range(0, BYTES, mmap.PAGESIZE), TOUCHES))
    end_ns = time.monotonic_ns()
    faults = major_faults() - faults
    # Its name is looked up while it is mapped.
    time.sleep(1)
    mapped.close()
    report = {"file": file.name, "startNs": begin_ns, "endNs": end_ns, "majorFaults": faults}

with open(os.environ["JOB_REPORT"], "w") as out:
    json.dump(report, out)
