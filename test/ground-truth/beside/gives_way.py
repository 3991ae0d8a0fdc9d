#!/usr/bin/python3
"""Two processes that compute, in the group of the job. With --fixed they sleep."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def encode():
    be_called("video-encoder")
    while True:
        end = time.perf_counter() + (0 if "--fixed" in sys.argv else 0.05)
        while time.perf_counter() < end:
            pass
        time.sleep(0.01)


def main():
    end_with_parent()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            end_with_parent()
            encode()
        children.append(child)
    say_ready(sys.argv[1])
    signal.sigwait([signal.SIGTERM])
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.wait()


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
