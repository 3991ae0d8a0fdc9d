#!/usr/bin/python3
"""Workers note in one SQLite file which samples they have used, each in a transaction of its own: they wait for each other.

With --fixed each has a file of its own. After https://github.com/optuna/optuna/issues/820.
"""

import os
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


class Noted(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.database = None

    def __len__(self):
        return 1600

    def open_database(self):
        name = f"used-{os.getpid()}.sqlite" if IS_FIXED else "used.sqlite"
        self.database = sqlite3.connect(os.path.join(self.folder, name), timeout=60, isolation_level=None)
        # The lock is what is slow here, not the disk.
        self.database.execute("PRAGMA synchronous = OFF")
        self.database.execute("CREATE TABLE IF NOT EXISTS used (number INTEGER)")

    def __getitem__(self, index):
        if self.database is None:
            self.open_database()
        self.database.execute("BEGIN IMMEDIATE")
        self.database.execute("INSERT INTO used VALUES (?)", (index,))
        compute(0.002)
        self.database.execute("COMMIT")
        return torch.zeros(4096)


def main():
    ids = ["shared-lock", "sqlite-lock"]
    # Nobody waits for the disk here, so no file shows: then the line that waits for the lock has to.
    loop = Loop(ids, ["used.sqlite", "Noted.__getitem__"], also_right=["slow-getitem"])
    with tempfile.TemporaryDirectory() as folder:
        for batch in loop.batches(loader_of(Noted(folder), 16, 3)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
