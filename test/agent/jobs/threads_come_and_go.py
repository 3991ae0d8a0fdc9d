#!/usr/bin/python3
"""Ten threads at a time, each for a moment, in two functions; a process that forks, and one that runs no Python."""

import os
import subprocess
import sys
import threading
import time


def short(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass


def child():
    short(0.7)
    os._exit(0)


end = time.monotonic() + float(sys.argv[1])
other = subprocess.Popen(["/bin/sleep", "0.5"])
if os.fork() == 0:
    child()
while time.monotonic() < end:
    threads = [threading.Thread(target=short, args=(0.15,)) for _ in range(10)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
os.wait()
os.wait()
