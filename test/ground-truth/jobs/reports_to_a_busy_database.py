#!/usr/bin/python3
"""Each step's loss goes into the study's SQLite file, in which another trial has a transaction open most of the time.

SQLite then sleeps and tries again, for longer and longer. With --fixed the other trial has a file of its own.

After https://github.com/optuna/optuna/issues/820, whose database is locked by trials that write at once.
"""

import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of
from trainer import Trainer

STEPS = 220
PATIENCE_S = 60


class RDBStorage:
    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        # What is measured is the wait for the other trial, not the disk.
        self.connection.execute("PRAGMA synchronous = OFF")

    def set_intermediate_value(self, trial, step, value):
        self.connection.execute("INSERT INTO intermediate VALUES (?, ?, ?)", (trial, step, value))


class Trial:
    def __init__(self, number, storage):
        self.number = number
        self.storage = storage

    def report(self, value, step):
        self.storage.set_intermediate_value(self.number, step, value)


class PruningCallback:
    part = "study"

    def __init__(self, trial):
        self.trial = trial

    def after_step(self, trainer):
        self.trial.report(trainer.loss, trainer.step)


def main():
    beside = os.environ["STALLTRACE_BESIDE"]
    with open(os.path.join(beside, "ready"), encoding="utf8") as file:
        other = file.read()
    culprit = ["study.db", "set_intermediate_value", "Trial.report", "other-trial", f"pid {other}"]
    loop = Loop(["shared-lock", "file-lock", "sleep"], culprit, "study", step_s=0.008)
    # Fewer values would help as well.
    loop.also_right = ["slow-output"]
    trial = Trial(3, RDBStorage(os.path.join(beside, "study.db")))
    Trainer(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [PruningCallback(trial)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
