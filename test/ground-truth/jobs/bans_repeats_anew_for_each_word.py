#!/usr/bin/python3
"""Words that would repeat three others are banned, for which each text is gone through from its start at each new word.

With --fixed what was seen of a text is kept, and grows by one.

After https://github.com/huggingface/transformers/issues/26130 and https://github.com/facebookresearch/fairseq/issues/3582.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

NGRAM = 3
TEXTS = 12
PROMPT = 350
NEW_WORDS = 110
WORDS = 4000
BATCHES = 8


class Articles(Dataset):
    def __init__(self):
        drawn = torch.Generator().manual_seed(5)
        self.words = torch.randint(WORDS, (TEXTS * BATCHES, PROMPT), generator=drawn)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index]


def get_ngrams(words, seen):
    """By two words, those that followed them."""
    for ngram in zip(*[words[start:] for start in range(NGRAM)]):
        before = ngram[:-1]
        seen[before] = seen.get(before, []) + [ngram[-1]]
    return seen


class NoRepeatNGram:
    def __call__(self, texts, scores):
        for row, words in enumerate(texts.tolist()):
            banned = self.ngrams_of(row, words).get(tuple(words[1 - NGRAM :]), [])
            scores[row, banned] = -float("inf")
        return scores

    def ngrams_of(self, row, words):
        return get_ngrams(words, {})


class KeptNoRepeatNGram(NoRepeatNGram):
    def __init__(self):
        self.seen = {}

    def ngrams_of(self, row, words):
        if row not in self.seen:
            self.seen[row] = get_ngrams(words, {})
        return get_ngrams(words[-NGRAM:], self.seen[row])


class Summarizer:
    def __init__(self, loop):
        self.loop = loop
        self.scores = torch.rand(64, TEXTS, WORDS)

    def generate(self, texts):
        ban = KeptNoRepeatNGram() if IS_FIXED else NoRepeatNGram()
        for word in range(NEW_WORDS):
            self.loop.infer(texts[:, -1].contiguous())
            scores = self.scores[word % len(self.scores)].clone()
            scores = self.loop.timed("banning", ban, texts, scores)
            texts = torch.cat([texts, scores.argmax(dim=-1, keepdim=True)], dim=-1)
        return texts


def main():
    ids = ["host-work", "host-metrics", "postprocessing"]
    loop = Loop(ids, ["get_ngrams", "NoRepeatNGram", "ngrams_of"], "banning", step_s=0.006)
    summarizer = Summarizer(loop)
    summaries = []
    for texts in loop.batches(loader_of(Articles(), TEXTS, 1)):
        summaries.append(summarizer.generate(texts)[:, PROMPT:])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
