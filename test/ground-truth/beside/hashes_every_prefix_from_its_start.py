#!/usr/bin/python3
"""Users who ask about one of four long documents, each time something else."""

import array
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from model_server import ask

DOCUMENTS = 4
DOCUMENT_WORDS = 3600
QUESTION_WORDS = 240
WORDS = 32_000
PAUSE_S = 0.01


def prompts():
    drawn = random.Random(8)
    documents = [drawn.choices(range(WORDS), k=DOCUMENT_WORDS) for _ in range(DOCUMENTS)]
    for number in itertools.count():
        question = drawn.choices(range(WORDS), k=QUESTION_WORDS)
        yield array.array("i", documents[number % DOCUMENTS] + question).tobytes()


if __name__ == "__main__":
    ask(prompts(), PAUSE_S)
