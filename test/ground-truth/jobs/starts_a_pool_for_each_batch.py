#!/usr/bin/python3
"""Transcription: the letters of each batch are searched through by a pool of processes, and each batch starts its own.

With --fixed they share one.

After https://github.com/huggingface/transformers/issues/17879.
"""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

LETTERS = " etaoinshrdlucmf"
BEAMS = 6


def search_beams(scores):
    beams = [(0.0, "")]
    for row in scores:
        best = numpy.argpartition(row, -2)[-2:].tolist()
        longer = [(told + row[letter], text + LETTERS[letter]) for told, text in beams for letter in best]
        beams = sorted(longer, reverse=True)[:BEAMS]
    return beams[0][1]


class Processor:
    def __init__(self):
        self.context = multiprocessing.get_context("fork")
        self.pool = self.context.Pool(2) if IS_FIXED else None

    def batch_decode(self, logits):
        if self.pool is not None:
            return self.pool.map(search_beams, logits)
        with self.context.Pool(2) as pool:
            return pool.map(search_beams, logits)


def main():
    processor = Processor()
    ids = ["subprocess-wait", "producer", "postprocessing", "host-work"]
    loop = Loop(ids, ["batch_decode", "Pool"], "decoding", step_s=0.02)
    transcripts = []
    for batch in loop.batches(loader_of(Items(16 * 140, 4096), 16, 1)):
        loop.infer(batch)
        logits = batch[:8, : 24 * len(LETTERS)].numpy().reshape(8, 24, len(LETTERS))
        transcripts += loop.timed("decoding", processor.batch_decode, list(logits))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
