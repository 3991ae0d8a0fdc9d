#!/usr/bin/python3
"""Nothing is wrong: which words a grammar allows next is worked out in Python for long, while the GPU scores them all.

The main thread is busy with it for a good part of each step, and done before the GPU is.

After https://github.com/dottxt-ai/outlines/issues/1434, which asks for just that.
"""

import ctypes
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop

D2H = 2
STEPS = 440
CHATS = 2
WORDS = 20_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Grammar:
    """Which letters may follow each other; a word that keeps to it may come next."""

    def __init__(self):
        chosen = random.Random(31)
        self.follows = {letter: set(chosen.sample(LETTERS, 12)) for letter in LETTERS}

    def accepts(self, last, word):
        return word[0] in self.follows[last] and word[1] in self.follows[word[0]]


class MaskBuilder:
    def __init__(self):
        chosen = random.Random(33)
        self.words = ["".join(chosen.choices(LETTERS, k=6)) for _ in range(WORDS)]
        self.grammar = Grammar()

    def allowed_words(self, last):
        return [number for number, word in enumerate(self.words) if self.grammar.accepts(last, word)]

    def build_mask(self, texts):
        mask = numpy.full((len(texts), WORDS), -numpy.inf, dtype=numpy.float32)
        for row, text in zip(mask, texts):
            row[self.allowed_words(text[-1])] = 0.0
        return mask


class Model:
    """Scores all words on the simulated GPU, which computes nothing."""

    def __init__(self, loop):
        self.loop = loop
        self.gpu = loop.gpu
        self.size = CHATS * WORDS * 4
        self.device = self.gpu.allocate(self.size, host=False)
        self.host = self.gpu.allocate(self.size, host=True)
        self.scores = numpy.random.default_rng(5).normal(size=(CHATS, WORDS)).astype(numpy.float32)

    def begin_forward(self, state):
        source = ctypes.c_void_p(state.data_ptr())
        size = state.numel() * state.element_size()
        self.loop.timed("copying", self.gpu.transfer_batch, self.device, source, size)
        self.gpu.launch_kernels()

    def end_forward(self, step):
        copy = self.gpu.cuda.cudaMemcpyAsync(self.host, self.device, ctypes.c_size_t(self.size), D2H, self.gpu.stream)
        self.gpu.check(copy)
        self.gpu.wait()
        return numpy.roll(self.scores, 7919 * step, axis=1)


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.022)
    masks, model = MaskBuilder(), Model(loop)
    texts = list(LETTERS[:CHATS])
    with tempfile.TemporaryFile("w", dir="/var/tmp") as stream:
        for step, state in enumerate(loop.batches(torch.zeros(STEPS, CHATS, 64))):
            model.begin_forward(state)
            mask = loop.timed("masks", masks.build_mask, texts)
            best = (model.end_forward(step) + mask).argmax(axis=1)
            texts = [text + masks.words[word] for text, word in zip(texts, best)]
            stream.write(" ".join(masks.words[word] for word in best) + "\n")
            stream.flush()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
