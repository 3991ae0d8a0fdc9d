"""Reads a file again and again in control groups that may keep less of it, and read no faster; it enters them late.

Prints what the kernel counted in the first: pages that were read again, and how often it had no room.
"""

import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ground-truth"))

from limits import disk_of, group_of, run_within

MEMORY = 48 << 20
READS = 40 << 20
FOLDER = "/var/tmp"


def counted(group, name, key=None):
    with open(os.path.join(group, name), encoding="utf8") as file:
        text = file.read()
    if key is None:
        return int(text)
    return sum(int(line.split()[1]) for line in text.splitlines() if line.split()[0] == key)


def report():
    group = group_of("memory")
    if group is not None:
        again = counted(group, "memory.stat", "total_workingset_refault_file")
        return {"again": again, "hits": counted(group, "memory.failcnt")}
    with open("/proc/self/cgroup", encoding="utf8") as file:
        group = "/sys/fs/cgroup" + file.read().strip().split("::")[1]
    again = counted(group, "memory.stat", "workingset_refault_file")
    return {"again": again, "hits": counted(group, "memory.events", "max")}


def read():
    with tempfile.NamedTemporaryFile(dir=FOLDER) as file:
        for _ in range(24):
            file.write(bytes(4 << 20))
            file.flush()
            os.fsync(file.fileno())
        # Samples are taken once a second, and tell of the second before them.
        until = time.monotonic() + 6
        while time.monotonic() < until:
            for offset in range(0, 96 << 20, 1 << 20):
                os.pread(file.fileno(), 1 << 20, offset)
    print(json.dumps(report()), flush=True)


def read_slowly():
    disk = disk_of(FOLDER)
    run_within("reads", (f"{disk} {READS}", f"{disk} rbps={READS}"), read)


if __name__ == "__main__":
    run_within("memory", (str(MEMORY), str(MEMORY)), read_slowly)
