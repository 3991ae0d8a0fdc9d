#!/usr/bin/python3
"""Two causes: for every word of a chat all scores are sorted on the host, and its whole text is put together again.

With --fixed the best 50 are sorted, and the new word is added to the text.

After https://github.com/sgl-project/sglang/pull/653, of the text.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

D2H = 2
CHATS = 4
WORDS = 32_000
PROMPT = 5000
STEPS = 260
BEST = 50
# Bytes that are no letters are written as letters further up, as tokenizers do.
BYTE_OF = {chr(0x100 + byte): byte for byte in range(256)}


class Vocabulary:
    def __init__(self):
        chosen = numpy.random.default_rng(11)
        lengths = chosen.integers(2, 8, WORDS)
        self.words = ["".join(chr(0x100 + byte) for byte in chosen.integers(97, 123, length)) for length in lengths]

    def decode(self, tokens):
        letters = "".join(self.words[token] for token in tokens)
        return bytes(BYTE_OF[letter] for letter in letters).decode("ascii")


class Scores:
    """What the model says of each word, copied from the GPU."""

    def __init__(self, gpu):
        self.gpu = gpu
        self.size = CHATS * WORDS * 4
        self.device = gpu.allocate(self.size, host=False)
        self.host = gpu.allocate(self.size, host=True)
        self.scores = numpy.random.default_rng(5).normal(size=(CHATS, WORDS)).astype(numpy.float32)

    def fetch(self, step):
        copy = self.gpu.cuda.cudaMemcpyAsync(self.host, self.device, ctypes.c_size_t(self.size), D2H, self.gpu.stream)
        self.gpu.check(copy)
        self.gpu.wait()
        # The simulated GPU computes nothing.
        return numpy.roll(self.scores, step * 7919, axis=1)


def sort_scores(scores):
    if not IS_FIXED:
        return numpy.argsort(-scores, axis=1)
    best = numpy.argpartition(-scores, BEST, axis=1)[:, :BEST]
    order = numpy.take_along_axis(-scores, best, axis=1).argsort(axis=1)
    return numpy.take_along_axis(best, order, axis=1)


def draw_words(scores, chosen):
    ranked = sort_scores(scores)
    return [int(row[chosen.integers(0, BEST)]) for row in ranked]


def write_texts(vocabulary, chats, texts):
    for at, tokens in enumerate(chats):
        if IS_FIXED:
            texts[at] += vocabulary.decode(tokens[-1:])
        else:
            texts[at] = vocabulary.decode(tokens)


def main():
    torch.set_num_threads(1)
    loop = Loop(["host-work", "host-metrics"], ["sort_scores", "draw_words"], "drawing", step_s=0.009)
    loop.also(["host-work", "host-metrics"], ["write_texts", "decode"], "texts")
    chosen = numpy.random.default_rng(3)
    vocabulary, scores = Vocabulary(), Scores(loop.gpu)
    chats = [chosen.integers(0, WORDS, PROMPT).tolist() for _ in range(CHATS)]
    texts = [vocabulary.decode(tokens) for tokens in chats]
    for step, last in enumerate(loop.batches(torch.zeros(STEPS, CHATS, 64))):
        loop.infer(last)
        for tokens, word in zip(chats, loop.timed("drawing", draw_words, scores.fetch(step), chosen)):
            tokens.append(word)
        loop.timed("texts", write_texts, vocabulary, chats, texts)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
