#!/usr/bin/python3
"""Stops the job's main process for 60 of 100 ms, over and over, as cpulimit does. With --fixed it only looks on."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def main():
    end_with_parent()
    be_called("cpulimit")
    say_ready(sys.argv[1])
    path = os.path.join(sys.argv[1], "job")
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path, encoding="utf8") as file:
        job = int(file.read())
    ending = []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(True))
    while not ending:
        try:
            if "--fixed" not in sys.argv:
                os.kill(job, signal.SIGSTOP)
                time.sleep(0.06)
                os.kill(job, signal.SIGCONT)
        except ProcessLookupError:
            break
        time.sleep(0.04)


if __name__ == "__main__":
    main()
