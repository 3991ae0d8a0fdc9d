#!/usr/bin/python3
"""A worker opens the SQLite file of poses for each item, reads which tables it has, takes one row and closes it again.

There are 600 tables, one a sequence. With --fixed each worker opens the file once.

After https://github.com/facebookresearch/fairchem/pull/154, of a database that was opened for each item.
"""

import os
import sqlite3
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 480
BATCH = 16
SEQUENCES = 600
FRAMES = 2
POSE = bytes(16384)


class PoseDatabase:
    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        listed = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.names = sorted(name for (name,) in listed)

    def read_pose(self, index):
        name = self.names[index % len(self.names)]
        query = f"SELECT pose FROM {name} WHERE frame = ?"
        return self.connection.execute(query, (index % FRAMES,)).fetchone()[0]

    def close(self):
        self.connection.close()


def connect_database(path):
    return PoseDatabase(path)


class Poses(Dataset):
    def __init__(self, path):
        self.path = path
        self.database = None

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        database = self.database or connect_database(self.path)
        pose = database.read_pose(index)
        if IS_FIXED:
            self.database = database
        else:
            database.close()
        return torch.frombuffer(bytearray(pose), dtype=torch.float32)


def write_database(path):
    connection = sqlite3.connect(path)
    for number in range(SEQUENCES):
        name = f"sequence_{number:04d}"
        connection.execute(f"CREATE TABLE {name} (frame INTEGER PRIMARY KEY, pose BLOB, taken REAL)")
        rows = [(frame, POSE, float(frame)) for frame in range(FRAMES)]
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()


def main():
    culprit = ["connect_database", "PoseDatabase.__init__", "Poses.__getitem__", "poses.sqlite"]
    loop = Loop("slow-getitem", culprit, step_s=0.004)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "poses.sqlite")
        write_database(path)
        for batch in loop.batches(loader_of(Poses(path), BATCH, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
