#!/usr/bin/python3
"""Every 8 steps the first of two ranks compares captions with their references, and the second waits for the score.

The report is of the second. With --fixed they are compared every 80 steps.

After https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/140, of ranks that wait for a metric of the first.
"""

import os
import random
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.distributed
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

STEPS = 320
EVERY = 80 if IS_FIXED else 8
IMAGES = 420
REFERENCES = 5
WORDS = 20


def count_phrases(words):
    """How often each run of one to four words occurs."""
    return Counter(tuple(words[at : at + n]) for n in range(1, 5) for at in range(len(words) - n + 1))


def overlap(caption, reference):
    shared = sum(min(count, reference[phrase]) for phrase, count in caption.items())
    return shared / max(1, sum(reference.values()))


class CaptionScorer:
    def __init__(self):
        self.chosen = random.Random(21)
        self.captions = [self.sentence() for _ in range(IMAGES)]
        self.references = [[self.sentence() for _ in range(REFERENCES)] for _ in range(IMAGES)]

    def sentence(self):
        return self.chosen.choices(("a", "the", "dog", "cat", "on", "street", "red", "runs", "two", "with"), k=WORDS)

    def score_captions(self):
        total = 0.0
        for words, references in zip(self.captions, self.references):
            caption = count_phrases(words)
            total += max(overlap(caption, count_phrases(reference)) for reference in references)
        return total / IMAGES


def share_score(score):
    """Every rank learns the first one's score, by which it keeps or drops its weights."""
    torch.distributed.broadcast(score, src=0)
    return float(score)


def train(rank):
    also_right = ["host-metrics", "host-work"]
    culprit = ["rank 0", "score_captions", "count_phrases"]
    loop = Loop(["late-rank", "collective"], culprit, "score", also_right, step_s=0.01)
    gradients, score = torch.ones(4096), torch.zeros(1)
    scorer = CaptionScorer() if rank == 0 else None
    for step, batch in enumerate(loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1))):
        loop.train(batch)
        loop.timed("gradients", reduce_gradients, gradients)
        if step % EVERY == EVERY - 1:
            if scorer:
                score.fill_(loop.timed("scoring", scorer.score_captions))
            loop.timed("score", share_score, score)
    if rank == 1:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
