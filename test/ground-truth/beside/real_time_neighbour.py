#!/usr/bin/python3
"""A process on each CPU that is busy 70 % of the time before all others. With --fixed they sleep."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

CANNOT = "real_time_neighbour needs a control group in which real-time priorities are allowed, as root"


def leave_group():
    """Groups of version 1 may give no time to real-time threads but in the first one."""
    for path in ("/sys/fs/cgroup/cpu/cgroup.procs", "/sys/fs/cgroup/cpu,cpuacct/cgroup.procs"):
        if os.path.exists(path):
            with open(path, "w", encoding="utf8") as file:
                file.write(str(os.getpid()))


def capture():
    be_called("packet-capture")
    while True:
        end = time.perf_counter() + (0 if "--fixed" in sys.argv else 0.014)
        while time.perf_counter() < end:
            pass
        time.sleep(0.006)


def main():
    end_with_parent()
    try:
        leave_group()
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except OSError as error:
        sys.exit(f"{CANNOT}: {error}")
    children = []
    for cpu in range(2):
        child = os.fork()
        if child == 0:
            end_with_parent()
            os.sched_setaffinity(0, {cpu})
            capture()
        children.append(child)
    say_ready(sys.argv[1])
    signal.sigwait([signal.SIGTERM])
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.wait()


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
