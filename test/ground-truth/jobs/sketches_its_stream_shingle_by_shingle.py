#!/usr/bin/python3
"""A language model's stream drops near-duplicates: a worker adds each text's shingles to its MinHash one by one.

Each costs four calls of NumPy for 128 numbers. With --fixed the corpus has no near-duplicates any more: they were dropped
before, and all shingles of a text were added at once.

After https://github.com/ekzhu/datasketch/pull/142 and https://github.com/ekzhu/datasketch/issues/41.
"""

import hashlib
import itertools
import os
import struct
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

TEXTS = 12_000
BATCH = 288
WORDS_A_TEXT = 260
WORDS_A_SHINGLE = 5
CHANGED_WORDS = 4
VOCABULARY = 20_000
PERMUTATIONS = 128
BANDS = 16
MERSENNE_PRIME = numpy.uint64((1 << 61) - 1)
MAX_HASH = numpy.uint64((1 << 32) - 1)


def sha1_hash32(data):
    return struct.unpack("<I", hashlib.sha1(data).digest()[:4])[0]


class MinHash:
    """The least hash of a set's members under each of many permutations: alike sets have alike sketches."""

    def __init__(self, permutations):
        self.a, self.b = permutations
        self.hashvalues = numpy.full(PERMUTATIONS, MAX_HASH, dtype=numpy.uint64)

    def update(self, member):
        hashed = numpy.uint64(sha1_hash32(member))
        permuted = numpy.bitwise_and((self.a * hashed + self.b) % MERSENNE_PRIME, MAX_HASH)
        self.hashvalues = numpy.minimum(permuted, self.hashvalues)

    def update_batch(self, members):
        hashed = numpy.array([sha1_hash32(member) for member in members], dtype=numpy.uint64)
        permuted = numpy.bitwise_and((numpy.outer(hashed, self.a) + self.b) % MERSENNE_PRIME, MAX_HASH)
        self.hashvalues = numpy.minimum(permuted.min(0), self.hashvalues)


class MinHashLSH:
    """Texts whose sketches agree in one band at least are near-duplicates."""

    def __init__(self):
        self.tables = [set() for _ in range(BANDS)]

    def insert_if_new(self, minhash):
        keys = [band.tobytes() for band in minhash.hashvalues.reshape(BANDS, -1)]
        is_new = not any(key in table for key, table in zip(keys, self.tables))
        if is_new:
            for key, table in zip(keys, self.tables):
                table.add(key)
        return is_new


class DeduplicatedCorpus(IterableDataset):
    """Each worker reads every second line, and drops what it has seen alike."""

    def __init__(self, path):
        self.path = path
        self.is_clean = False
        drawn = numpy.random.default_rng(1)
        least, most = numpy.array([1, 0], dtype=numpy.uint64)[:, None], int(MERSENNE_PRIME)
        self.permutations = drawn.integers(least, most, (2, PERMUTATIONS), dtype=numpy.uint64)
        self.numbers = {word_of(number): number for number in range(VOCABULARY)}

    def sketch_text(self, words, at_once=False):
        shingles = [" ".join(words[at : at + WORDS_A_SHINGLE]).encode() for at in range(len(words) - WORDS_A_SHINGLE + 1)]
        minhash = MinHash(self.permutations)
        if at_once:
            minhash.update_batch(shingles)
        else:
            for shingle in shingles:
                minhash.update(shingle)
        return minhash

    def tokens_of(self, words):
        return torch.tensor([self.numbers[word] for word in words])

    def __iter__(self):
        worker = get_worker_info()
        index = MinHashLSH()
        with open(self.path, encoding="utf8") as corpus:
            for line in itertools.islice(corpus, worker.id, None, worker.num_workers):
                words = line.split()
                if self.is_clean or index.insert_if_new(self.sketch_text(words)):
                    yield self.tokens_of(words)

    def clean(self):
        """Drops the near-duplicates of the whole corpus, once."""
        index = MinHashLSH()
        with open(self.path, encoding="utf8") as corpus:
            lines = [line for line in corpus if index.insert_if_new(self.sketch_text(line.split(), at_once=True))]
        with open(self.path, "w", encoding="utf8") as corpus:
            corpus.writelines(lines)
        self.is_clean = True


def word_of(number):
    letters = "etaoinshrdlu"
    return letters[number % 12] + letters[number // 12 % 12] + letters[number // 144 % 12] + str(number // 1728)


def write_corpus(path):
    """One text in twelve is an older one with some words changed."""
    drawn = numpy.random.default_rng(2)
    texts = drawn.integers(0, VOCABULARY, (TEXTS, WORDS_A_TEXT))
    for copy in range(500, TEXTS, 12):
        texts[copy] = texts[copy - 499]
        texts[copy, drawn.integers(0, WORDS_A_TEXT, CHANGED_WORDS)] = drawn.integers(0, VOCABULARY, CHANGED_WORDS)
    words = [word_of(number) for number in range(VOCABULARY)]
    with open(path, "w", encoding="utf8") as corpus:
        for text in texts.tolist():
            corpus.write(" ".join(words[number] for number in text) + "\n")


def main():
    culprit = ["MinHash.update", "update", "sketch_text", "DeduplicatedCorpus.__iter__"]
    loop = Loop("slow-getitem", culprit, step_s=0.11)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "corpus.txt")
        write_corpus(path)
        corpus = DeduplicatedCorpus(path)
        if IS_FIXED:
            corpus.clean()
        for batch in loop.batches(loader_of(corpus, BATCH, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
