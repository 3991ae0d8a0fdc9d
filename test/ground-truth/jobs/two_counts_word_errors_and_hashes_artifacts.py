#!/usr/bin/python3
"""Two causes: word errors are counted in Python at every other step, and each artifact hashes the whole run folder.

With --fixed errors are counted at every 100th step, and the digest of a file that has not changed is kept.

After https://github.com/mozilla/DeepSpeech/issues/776 and https://github.com/mosaicml/composer/pull/80.
"""

import hashlib
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

COUNT_EVERY = 100 if IS_FIXED else 2
LOG_EVERY = 25
FILES = 18
FILE_BYTES = 4 << 20
SENTENCES = 16
WORDS = 56


def edit_distance(said, heard):
    """How many words have to be put in, left out or exchanged."""
    row = list(range(len(heard) + 1))
    for at, word in enumerate(said, 1):
        corner, row[0] = row[0], at
        for column, other in enumerate(heard, 1):
            cost = corner if word == other else 1 + min(corner, row[column], row[column - 1])
            corner, row[column] = row[column], cost
    return row[-1]


class WordErrorRate:
    part = "errors"

    def __init__(self):
        chosen = random.Random(17)
        spoken = [f"word{number}" for number in range(300)]
        self.said = [chosen.choices(spoken, k=WORDS) for _ in range(SENTENCES)]
        self.heard = [[chosen.choice((word, word, spoken[0])) for word in words] for words in self.said]
        self.errors = 0

    def after_step(self, trainer):
        if trainer.step % COUNT_EVERY == 0:
            self.update(self.said, self.heard)

    def update(self, said, heard):
        self.errors += sum(edit_distance(*pair) for pair in zip(said, heard))


def digest_file(path):
    digest = hashlib.md5()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


class Artifact:
    """The files of a folder by their digests; those that are new are copied to where they are sent from."""

    known = {}

    def __init__(self, staging):
        self.staging = staging
        self.manifest = {}

    def digest_of(self, path):
        state = os.stat(path)
        key = path, state.st_mtime_ns, state.st_size
        if not IS_FIXED or key not in self.known:
            self.known[key] = digest_file(path)
        return self.known[key]

    def add_folder(self, folder):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            digest = self.digest_of(path)
            self.manifest[name] = digest
            staged = os.path.join(self.staging, digest)
            if not os.path.exists(staged):
                shutil.copyfile(path, staged)


class LogArtifacts:
    part = "artifacts"

    def __init__(self, run_folder, staging):
        self.run_folder = run_folder
        self.staging = staging

    def after_step(self, trainer):
        if trainer.step % LOG_EVERY == 0:
            with open(os.path.join(self.run_folder, "state.json"), "w", encoding="utf8") as file:
                file.write(f'{{"step": {trainer.step}, "loss": {trainer.loss}}}')
            Artifact(self.staging).add_folder(self.run_folder)


def fill(run_folder):
    for number in range(FILES):
        with open(os.path.join(run_folder, f"features-{number:02d}.npy"), "wb") as file:
            file.write(os.urandom(FILE_BYTES))


def main():
    loop = Loop(["host-metrics", "host-work"], ["edit_distance", "WordErrorRate.update"], "errors", step_s=0.008)
    loop.also(["checkpoint", "host-work", "host-metrics"], ["digest_file", "add_folder", "digest_of"], "artifacts")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        run_folder, staging = os.path.join(folder, "run"), os.path.join(folder, "staging")
        os.mkdir(run_folder)
        os.mkdir(staging)
        fill(run_folder)
        # What was there before the first step is known and staged, in both forms.
        Artifact(staging).add_folder(run_folder)
        callbacks = [WordErrorRate(), LogArtifacts(run_folder, staging)]
        Trainer(loop, loader_of(Items(16 * 500, 4096), 16, 1), callbacks).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
