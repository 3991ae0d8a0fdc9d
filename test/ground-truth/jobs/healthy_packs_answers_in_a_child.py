#!/usr/bin/python3
"""Nothing is wrong: answers go as JSON into a gzip that is quick enough, a log tells of every 10th batch, and the GPU is the limit.

Prompts come from lines of JSON that a worker cuts into words ahead of time.
"""

import json
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

# A wait that spins would keep one of two CPUs from gzip.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset

BATCHES = 96
BATCH = 24
LENGTH = 192
ANSWER_WORDS = 48
SHARDS = 3
VOCABULARY = 6000
LOG_EVERY = 10


class Vocabulary:
    def __init__(self):
        chosen = random.Random(101)
        self.words = ["".join(chosen.choices("abcdefghilmnoprstuv", k=7)) for _ in range(VOCABULARY)]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def encode(self, text):
        numbers = [self.numbers[word] for word in text.split()][:LENGTH]
        return numbers + [0] * (LENGTH - len(numbers))

    def decode(self, numbers):
        return " ".join([self.words[number] for number in numbers])


def write_prompts(folder, vocabulary):
    """Shards of prompts, a line of JSON each."""
    chosen = random.Random(103)
    paths = [os.path.join(folder, f"prompts-{shard}.jsonl") for shard in range(SHARDS)]
    for path in paths:
        with open(path, "w", encoding="utf8") as file:
            for number in range(BATCHES * BATCH // SHARDS):
                text = " ".join(chosen.choices(vocabulary.words, k=chosen.randint(20, 260)))
                file.write(json.dumps({"id": number, "prompt": text}) + "\n")
    return paths


class Prompts(IterableDataset):
    def __init__(self, paths, vocabulary):
        self.paths = paths
        self.vocabulary = vocabulary

    def __iter__(self):
        for path in self.paths:
            with open(path, encoding="utf8") as file:
                for line in file:
                    yield torch.tensor(self.vocabulary.encode(json.loads(line)["prompt"]))


class PackedAnswers:
    """Lines of JSON through gzip into a file."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.gzip = subprocess.Popen(["gzip", "-1", "-c"], stdin=subprocess.PIPE, stdout=self.file)

    def write_answers(self, answers):
        lines = [json.dumps(answer) + "\n" for answer in answers]
        self.gzip.stdin.write("".join(lines).encode())
        self.gzip.stdin.flush()

    def close(self):
        self.gzip.stdin.close()
        self.gzip.wait()
        self.file.close()


class BatchInference:
    def __init__(self, loop, vocabulary, answers, log):
        self.loop = loop
        self.vocabulary = vocabulary
        self.answers = answers
        self.log = log
        self.begun = time.monotonic()

    def decode_answers(self, batch):
        """Words of the prompt stand for what the model has chosen."""
        chosen = batch[:, :ANSWER_WORDS].tolist()
        return [{"answer": self.vocabulary.decode(numbers), "tokens": ANSWER_WORDS} for numbers in chosen]

    def keep(self, batch, number):
        self.answers.write_answers(self.decode_answers(batch))
        if number % LOG_EVERY == 0:
            rate = number * BATCH / (time.monotonic() - self.begun)
            self.log.info("batch %d of %d, %.1f prompts a second", number, BATCHES, rate)

    def run(self, loader):
        for number, batch in enumerate(self.loop.batches(loader), 1):
            self.loop.infer(batch)
            self.loop.timed("keeping", self.keep, batch, number)


def open_log(path):
    log = logging.getLogger("inference")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(logging.FileHandler(path))
    return log


def main():
    if shutil.which("gzip") is None:
        print("needs gzip", file=sys.stderr)
        sys.exit(77)
    torch.set_num_threads(1)
    loop = Loop(step_s=0.12)
    vocabulary = Vocabulary()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="answers-") as folder:
        prompts = Prompts(write_prompts(folder, vocabulary), vocabulary)
        answers = PackedAnswers(os.path.join(folder, "answers.jsonl.gz"))
        log = open_log(os.path.join(folder, "inference.log"))
        loader = DataLoader(prompts, batch_size=BATCH, num_workers=1, prefetch_factor=4)
        BatchInference(loop, vocabulary, answers, log).run(loader)
        answers.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
