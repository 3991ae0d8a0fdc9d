#!/usr/bin/python3
"""Touches pages of a file that it has mapped, in random order, and that no cache holds.

Keeps it mapped until the file `seen` is in the folder that it is given. Writes as JSON to JOB_REPORT which file it was,
when it began and ended, and how many of its faults had to read.
"""

import json
import mmap
import os
import pathlib
import random
import resource
import sys
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
    faults = major_faults()
    begin_ns = time.monotonic_ns()
    for place in random.sample(range(0, BYTES, mmap.PAGESIZE), TOUCHES):
        mapped[place]
    end_ns = time.monotonic_ns()
    faults = major_faults() - faults
    folder = pathlib.Path(sys.argv[1])
    (folder / "touched").touch()
    while not (folder / "seen").exists():
        time.sleep(0.01)
    mapped.close()
    report = {"file": file.name, "startNs": begin_ns, "endNs": end_ns, "majorFaults": faults}

with open(os.environ["JOB_REPORT"], "w") as out:
    json.dump(report, out)
