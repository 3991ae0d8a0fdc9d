#!/usr/bin/python3
"""Samples the stacks of all threads of a process, as py-spy --native does: it stops them, reads, and lets them go on.

With --fixed it stops none, and reads that of the thread which runs Python only.
"""

import bisect
import collections
import ctypes
import errno
import os
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

PTRACE_SEIZE = 0x4206
PTRACE_INTERRUPT = 0x4207
PTRACE_DETACH = 17
WAIT_FOR_THREADS = 0x40000000
SAMPLES_A_SECOND = 40
MAPS_EVERY = 50
STACK_BYTES = 6144
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def trace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class CodeMap:
    """Where a process has code mapped, to tell return addresses on a stack from other numbers."""

    def __init__(self, process):
        self.begins, self.ends, self.names = [], [], []
        with open(f"/proc/{process}/maps", encoding="utf8") as maps:
            for line in maps:
                span, access, *_, name = line.rstrip("\n").split(None, 5) + [""]
                if "x" in access:
                    begin, end = (int(address, 16) for address in span.split("-"))
                    self.begins.append(begin)
                    self.ends.append(end)
                    self.names.append(name)

    def frame_at(self, address):
        at = bisect.bisect_right(self.begins, address) - 1
        if at >= 0 and address < self.ends[at]:
            return f"{self.names[at]}+{address - self.begins[at]:x}"
        return None


class StackSampler:
    def __init__(self, process, is_blocking):
        self.process = process
        self.is_blocking = is_blocking
        self.memory = os.open(f"/proc/{process}/mem", os.O_RDONLY)
        self.code = CodeMap(process)
        self.samples = collections.Counter()
        self.taken = 0

    def threads(self):
        if not self.is_blocking:
            return [self.process]
        return [int(name) for name in os.listdir(f"/proc/{self.process}/task")]

    def lock_thread(self, thread):
        trace(PTRACE_SEIZE, thread)
        trace(PTRACE_INTERRUPT, thread)
        os.waitpid(thread, WAIT_FOR_THREADS)

    def lock_process(self):
        """Threads that are stopped now."""
        stopped = []
        for thread in self.threads():
            try:
                self.lock_thread(thread)
                stopped.append(thread)
            except OSError as error:
                # It may have ended meanwhile.
                if error.errno not in (errno.ESRCH, errno.ECHILD):
                    raise
        return stopped

    def unlock_process(self, stopped):
        for thread in stopped:
            trace(PTRACE_DETACH, thread)

    def unwind_thread(self, thread):
        """Its return addresses, from the top of its stack on; none of a thread that runs."""
        with open(f"/proc/{self.process}/task/{thread}/syscall", encoding="utf8") as file:
            told = file.read().split()
        if len(told) < 3:
            return ()
        stack, counter = int(told[-2], 16), int(told[-1], 16)
        # Less than that where the stack begins.
        read = os.pread(self.memory, STACK_BYTES, stack)
        words = struct.unpack(f"{len(read) // 8}Q", read[: len(read) // 8 * 8])
        return tuple(filter(None, map(self.code.frame_at, (counter, *words))))

    def take_sample(self):
        if self.taken % MAPS_EVERY == 0:
            self.code = CodeMap(self.process)
        stopped = self.lock_process() if self.is_blocking else []
        try:
            for thread in self.threads():
                self.samples[self.unwind_thread(thread)] += 1
        finally:
            self.unlock_process(stopped)
        self.taken += 1

    def record(self):
        due = time.monotonic()
        while True:
            self.take_sample()
            due = max(due + 1 / SAMPLES_A_SECOND, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))


def wait_for_target(folder):
    path = os.path.join(folder, "target", "ready")
    while not os.path.exists(path):
        time.sleep(0.02)
    with open(path, encoding="utf8") as file:
        return int(file.read())


def main():
    end_with_parent()
    be_called("stack-sampler")
    folder = sys.argv[1]
    say_ready(folder, str(os.getpid()))
    process = wait_for_target(folder)
    state = os.path.join(folder, "sampler")
    os.makedirs(state, exist_ok=True)
    try:
        sampler = StackSampler(process, is_blocking="--fixed" not in sys.argv)
        sampler.take_sample()
    except OSError as error:
        say_ready(state, str(error))
        return
    say_ready(state, "sampling")
    try:
        sampler.record()
    except OSError:
        # The job has ended.
        pass


if __name__ == "__main__":
    main()
