#!/usr/bin/python3
"""Reads a file of a file system in user space (FUSE), whose process takes its time; says when, and which process."""

import ctypes
import json
import os
import struct
import sys
import time

READS = 6
TAKES_S = 0.02
FILE_BYTES = 1 << 20
FOLDER_NODE, FILE_NODE = 1, 2

# include/uapi/linux/fuse.h, sched.h, mount.h
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, BATCH_FORGET = 1, 2, 3, 14, 15, 18, 25, 26, 42
CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 0x4000, 0x40000

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result:
        raise OSError(ctypes.get_errno(), what)


def attributes(node):
    size, mode = (FILE_BYTES, 0o100644) if node == FILE_NODE else (0, 0o40755)
    no_times = [0] * 6
    return struct.pack("<6Q10I", node, size, 8, *no_times, mode, 1, 0, 0, 0, 4096, 0)


def answer_to(opcode, node, body):
    """The answer's bytes; None = the kernel does not know what to do with it."""
    if opcode == INIT:
        return struct.pack("<IIIIHHIIHHI7I", 7, 31, 4096, 0, 12, 10, 4096, 1, 0, 0, 0, *[0] * 7)
    if opcode == LOOKUP:
        return struct.pack("<QQQQII", FILE_NODE, 0, 100, 100, 0, 0) + attributes(FILE_NODE)
    if opcode == GETATTR:
        return struct.pack("<QII", 100, 0, 0) + attributes(node)
    if opcode == OPEN:
        return struct.pack("<QII", 0, 0, 0)
    if opcode == READ:
        time.sleep(TAKES_S)
        return bytes(struct.unpack_from("<QQI", body)[2])
    return b"" if opcode in (RELEASE, FLUSH) else None


def serve(device):
    while True:
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
        if opcode in (FORGET, BATCH_FORGET):
            continue
        answer = answer_to(opcode, node, request[40:])
        told, error = (b"", -38) if answer is None else (answer, 0)  # ENOSYS
        os.write(device, struct.pack("<IiQ", 16 + len(told), error, unique) + told)


def main():
    folder = sys.argv[1]
    # Its mounts are its own: nothing of them is left when it ends, however it ends.
    checked(libc.unshare(CLONE_NEWNS), "unshare")
    checked(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "private mounts")
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    checked(libc.mount(b"slow", folder.encode(), b"fuse.slow", 0, options), "mount")
    server = os.fork()
    if server == 0:
        serve(device)
    os.close(device)
    path = os.path.join(folder, "file")
    fd = os.open(path, os.O_RDONLY)
    waits = []
    for at in range(READS):
        begin = time.monotonic_ns()
        os.pread(fd, 4096, at * FILE_BYTES // READS)
        waits.append({"kind": "file", "pid": server, "startNs": begin, "endNs": time.monotonic_ns()})
    os.close(fd)
    os.kill(server, 9)
    with open(os.environ["JOB_REPORT"], "w", encoding="utf8") as file:
        json.dump({"pid": os.getpid(), "path": path, "waits": waits}, file)


if __name__ == "__main__":
    main()
