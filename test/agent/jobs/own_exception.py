#!/usr/bin/python3
"""Starts a capture of itself and comes in by its line, with an exception from Yama's rule of its own, or without.

A child then tries to read its memory, which needs such an exception, and so does the agent, a child too.
Calls CUDA until the file END is there.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

agent, library, cudart, out, end, own = sys.argv[1:]
PR_SET_PTRACER, ANYONE = 0x59616D61, ctypes.c_ulong(-1)
libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


secret = ctypes.create_string_buffer(b"read me", 8)


def read_parent():
    """0, or the error."""
    mine = ctypes.create_string_buffer(8)
    local, remote = (Piece(ctypes.addressof(each), 8) for each in (mine, secret))
    got = libc.process_vm_readv(os.getppid(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    return 0 if got == 8 and mine.value == b"read me" else ctypes.get_errno()


def child_reads():
    child = os.fork()
    if child == 0:
        os._exit(read_parent())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if own == "any":
    libc.prctl(PR_SET_PTRACER, ANYONE, 0, 0, 0)
record = [agent, "record", "--json", "--no-bpf", "--pid", str(os.getpid()), "--out", out]
recorder = subprocess.Popen(record, stdout=subprocess.PIPE, text=True)
while json.loads(recorder.stdout.readline())["event"] != "started":
    pass
cuda = ctypes.CDLL(cudart)
begin = ctypes.CDLL(library).stalltrace_begin
begin.restype = ctypes.c_char_p
print(json.dumps({"line": begin().decode(), "child": child_reads()}), flush=True)


def step():
    cuda.standInOccupy(ctypes.c_uint64(2000000))
    cuda.cudaStreamSynchronize(None)


latest = time.monotonic() + 60
while not os.path.exists(end) and time.monotonic() < latest:
    step()
recorder.send_signal(signal.SIGINT)
recorder.communicate()
sys.exit(recorder.returncode)
