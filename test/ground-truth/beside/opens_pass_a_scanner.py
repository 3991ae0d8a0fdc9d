#!/usr/bin/python3
"""A scanner for malware: the kernel asks it about each file of a folder before whoever opens that may go on.

It has one thread, as clamonacc has for what it must decide. With --fixed the folder is not among those that it watches.
"""

import ctypes
import hashlib
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

# linux/fanotify.h
FAN_CLASS_CONTENT = 0x04
FAN_CLOEXEC = 0x01
FAN_MARK_ADD = 0x01
FAN_OPEN_PERM = 0x00010000
FAN_EVENT_ON_CHILD = 0x08000000
FAN_ALLOW = 0x01
FAN_DENY = 0x02
EVENT = struct.Struct("=IBBHQii")
RESPONSE = struct.Struct("=iI")
AT_FDCWD = -100
SIGNATURES = 60


class Signatures:
    """Digests of whole files, and pieces that are looked for within them."""

    def __init__(self):
        drawn = random.Random(9)
        self.digests = {drawn.randbytes(32) for _ in range(1000)}
        self.pieces = [drawn.randbytes(12) for _ in range(SIGNATURES)]

    def is_clean(self, content):
        if hashlib.sha256(content).digest() in self.digests:
            return False
        return not any(piece in content for piece in self.pieces)


class Watch:
    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.group = self.checked(self.libc.fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, os.O_RDONLY))
        mask = ctypes.c_uint64(FAN_OPEN_PERM | FAN_EVENT_ON_CHILD)
        self.checked(self.libc.fanotify_mark(self.group, FAN_MARK_ADD, mask, AT_FDCWD, folder.encode()))

    @staticmethod
    def checked(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    def decide(self, signatures):
        """The files of all that wait to be opened, one after the other."""
        events = os.read(self.group, 64 * EVENT.size)
        for length, _, _, _, _, file, _ in EVENT.iter_unpack(events):
            assert length == EVENT.size
            allowed = FAN_ALLOW if signatures.is_clean(read_all(file)) else FAN_DENY
            os.write(self.group, RESPONSE.pack(file, allowed))
            os.close(file)


def read_all(file):
    return os.pread(file, os.fstat(file).st_size, 0)


def main():
    end_with_parent()
    be_called("onaccess-scan")
    signatures = Signatures()
    scanned, left_out = (os.path.join(sys.argv[1], name) for name in ("discharge-letters", "left-out"))
    os.makedirs(scanned)
    os.makedirs(left_out)
    why = ""
    try:
        watch = Watch(left_out if "--fixed" in sys.argv else scanned)
    except OSError as error:
        why = str(error)
    say_ready(sys.argv[1], f"{os.getpid()}\n{scanned}\n{why}")
    while True:
        watch.decide(signatures)


if __name__ == "__main__":
    main()
