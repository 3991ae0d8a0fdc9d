#!/usr/bin/python3
"""Waits for several files in turn, all of them by one descriptor number.

Waits for each of two named pipes in the folder that it is given until a file says that it was seen
(`seen-a`, `seen-b`), then for all of them in quick turn. Writes those last waits as JSON to JOB_REPORT.
"""

import ctypes
import json
import os
import pathlib
import socket
import sys
import threading
import time

NUMBER = 100
ROUNDS = 30
PAUSE_SECONDS = 0.002  # long enough to be waited for

folder = pathlib.Path(sys.argv[1])


def named_pipe(name):
    os.mkfifo(folder / name)
    end = os.open(folder / name, os.O_RDWR)
    return end, end


def socket_pair():
    ends = socket.socketpair()
    return ends[0].detach(), ends[1].detach()


def event():
    # Python itself has it from 3.10 on.
    end = ctypes.CDLL(None).eventfd(0, 0)
    return end, end


FILES = {
    "a": named_pipe("a"),
    "b": named_pipe("b"),
    "pipe": os.pipe(),
    "socket": socket_pair(),
    "eventfd": event(),
}


def wait_for(name):
    reading, writing = FILES[name]
    os.dup2(reading, NUMBER)
    threading.Timer(PAUSE_SECONDS, os.write, (writing, (1).to_bytes(8, sys.byteorder))).start()
    start_ns = time.monotonic_ns()
    os.read(NUMBER, 8)
    return {"file": name, "startNs": start_ns, "endNs": time.monotonic_ns()}


for name in ("a", "b"):
    while not (folder / f"seen-{name}").exists():
        wait_for(name)
        (folder / f"waits-{name}").touch()

waits = [wait_for(name) for _ in range(ROUNDS) for name in FILES]
pathlib.Path(os.environ["JOB_REPORT"]).write_text(json.dumps({"waits": waits}))
