#!/usr/bin/python3
"""Nothing is wrong: workers pack eight sequences of documents at once, and long over it, but may be sixteen of them ahead.

Seven of eight sequences come at once, the eighth takes a worker long. The GPU never waits. A thread writes the log.

After https://github.com/EvolvingLMMs-Lab/lmms-engine/pull/162, where workers may be two ahead.
"""

import itertools
import json
import logging
import logging.handlers
import os
import queue
import random
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.multiprocessing
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from trainer import Trainer

STEPS = 144
WORKERS = 2
WINDOW = 8
AHEAD = 16
LENGTH = 8192
SWAPS = 200_000


class Documents:
    """Texts of a worker's share of the corpus, as numbers; most are short, and some are very long."""

    def __init__(self, seed):
        self.drawn = random.Random(seed)

    def __iter__(self):
        while True:
            length = min(LENGTH, int(self.drawn.lognormvariate(6.2, 0.9)) + 1)
            first = self.drawn.randrange(20_000)
            yield list(range(first, first + length))


class BalancedPacking:
    """Fills a window of packs, then swaps documents between them until their costs of attention are alike."""

    def __init__(self, seed):
        self.drawn = random.Random(seed)
        self.left_over = []

    def fill(self, documents):
        packs = [[] for _ in range(WINDOW)]
        room = [LENGTH] * WINDOW
        for document in itertools.chain(self.left_over, documents):
            fitting = [at for at in range(WINDOW) if room[at] >= len(document)]
            if not fitting:
                self.left_over = [document]
                return packs
            best = min(fitting, key=room.__getitem__)
            packs[best].append(document)
            room[best] -= len(document)

    def cost(self, pack):
        return sum(len(document) ** 2 for document in pack)

    def fits(self, pack):
        return sum(map(len, pack)) <= LENGTH

    def balance(self, packs):
        costs = [self.cost(pack) for pack in packs]
        for _ in range(SWAPS):
            one, other = self.drawn.sample(range(WINDOW), 2)
            mine, yours = self.drawn.randrange(len(packs[one])), self.drawn.randrange(len(packs[other]))
            gain = len(packs[other][yours]) ** 2 - len(packs[one][mine]) ** 2
            if abs(costs[one] + gain - costs[other] + gain) >= abs(costs[one] - costs[other]):
                continue
            packs[one][mine], packs[other][yours] = packs[other][yours], packs[one][mine]
            if self.fits(packs[one]) and self.fits(packs[other]):
                costs[one], costs[other] = costs[one] + gain, costs[other] - gain
            else:
                packs[one][mine], packs[other][yours] = packs[other][yours], packs[one][mine]
        return packs


class PackedDocuments(IterableDataset):
    def __iter__(self):
        worker = get_worker_info().id
        documents = iter(Documents(worker))
        packing = BalancedPacking(worker)
        for _ in range(-(-STEPS // (WORKERS * WINDOW))):
            for pack in packing.balance(packing.fill(documents)):
                yield self.join_documents(pack)

    def join_documents(self, pack):
        """Numbers of the words, and which document each is of."""
        joined = torch.zeros(2, LENGTH, dtype=torch.int64)
        begin = 0
        for number, document in enumerate(pack, 1):
            end = begin + len(document)
            joined[0, begin:end] = torch.tensor(document)
            joined[1, begin:end] = number
            begin = end
        return joined


class LogSteps:
    part = "log"

    def __init__(self, logger):
        self.logger = logger

    def after_step(self, trainer):
        self.logger.info(json.dumps({"step": trainer.step, "loss": trainer.loss}))


def start_log(path):
    """Lines go through a queue to a thread that writes them."""
    lines = queue.SimpleQueue()
    listener = logging.handlers.QueueListener(lines, logging.FileHandler(path))
    listener.start()
    logger = logging.getLogger("pretrain")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(logging.handlers.QueueHandler(lines))
    return logger, listener


def share_by_files(_=0):
    """Not by descriptors, of which a job may open only so many, and for which a worker would be asked."""
    torch.multiprocessing.set_sharing_strategy("file_system")


def main():
    torch.set_num_threads(1)
    share_by_files()
    loop = Loop(step_s=0.09)
    ahead = {"num_workers": WORKERS, "prefetch_factor": AHEAD, "multiprocessing_context": "spawn"}
    loader = DataLoader(PackedDocuments(), batch_size=None, worker_init_fn=share_by_files, **ahead)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        logger, listener = start_log(os.path.join(folder, "train.jsonl"))
        Trainer(loop, loader, [LogSteps(logger)]).fit()
        listener.stop()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
