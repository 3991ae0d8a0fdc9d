#!/usr/bin/python3
"""Each step's loss is noted in the journal of a study, under a lock that another trial holds while it reads all of it.

The loop waits until that one lets go. With --fixed the other trial has a journal of its own.

After https://github.com/optuna/optuna/pull/3854, of a journal that ten processes append to in turn.
"""

import fcntl
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of
from trainer import Trainer


class JournalLock:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        fcntl.flock(self.file, fcntl.LOCK_UN)


class JournalStorage:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf8")
        self.lock = JournalLock(self.file)

    def append_record(self, record):
        with self.lock:
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()


class Trial:
    def __init__(self, number, storage):
        self.number = number
        self.storage = storage

    def report(self, value, step):
        self.storage.append_record({"trial": self.number, "step": step, "value": value})


class ReportLoss:
    part = "journal"

    def __init__(self, trial):
        self.trial = trial

    def after_step(self, trainer):
        self.trial.report(trainer.loss, trainer.step)


def main():
    beside = os.environ["STALLTRACE_BESIDE"]
    with open(os.path.join(beside, "ready"), encoding="utf8") as file:
        other = file.read()
    culprit = ["study.journal", "append_record", "JournalLock.__enter__", "sibling-trial", f"pid {other}"]
    loop = Loop(["shared-lock", "file-lock"], culprit, "journal", step_s=0.008)
    trial = Trial(12, JournalStorage(os.path.join(beside, "study.journal")))
    Trainer(loop, loader_of(Items(16 * 420, 4096), 16, 1), [ReportLoss(trial)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
