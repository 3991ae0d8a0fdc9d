#!/usr/bin/python3
"""Samples lie in a file system in user space, as buckets that are mounted do, and its process takes its time for each.

With --fixed it answers at once.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../agent/jobs"))

import slow_file_system
import torch
from limits import cannot_run
from loop import IS_FIXED, Loop, loader_of
from slow_file_system import CLONE_NEWNS, FILE_BYTES, MS_PRIVATE, MS_REC, checked, libc, serve
from torch.utils.data import Dataset

SIZE = 4096


class Mounted(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 1600

    def read_sample(self, index):
        file = os.open(self.path, os.O_RDONLY)
        at = index * SIZE % FILE_BYTES
        os.posix_fadvise(file, at, SIZE, os.POSIX_FADV_DONTNEED)
        sample = bytearray(os.pread(file, SIZE, at))
        os.close(file)
        return sample

    def __getitem__(self, index):
        return torch.frombuffer(self.read_sample(index), dtype=torch.float32)


def mount_slow(folder):
    """In a mount namespace of its own; the pid of its process."""
    try:
        checked(libc.unshare(CLONE_NEWNS), "unshare")
        checked(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "private mounts")
        device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
        checked(libc.mount(b"bucket", folder.encode(), b"fuse.bucket", 0, options), "mount")
    except OSError as error:
        cannot_run(f"needs /dev/fuse and mount(), as root: {error}")
    slow_file_system.TAKES_S = 0.0 if IS_FIXED else 0.004
    server = os.fork()
    if server == 0:
        serve(device)
    os.close(device)
    return server


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = mount_slow(folder)
        culprit = ["fuse.bucket", f"pid {server}"]
        loop = Loop("disk-bound", culprit, also_right=["small-files", "slow-getitem"], step_s=0.004)
        path = os.path.join(folder, "file")
        for batch in loop.batches(loader_of(Mounted(path), 16, 2)):
            loop.train(batch)
        loop.report(sys.argv[1])
        os.kill(server, 9)
        libc.umount2(folder.encode(), 2)


if __name__ == "__main__":
    main()
