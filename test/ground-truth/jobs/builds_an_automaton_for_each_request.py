#!/usr/bin/python3
"""A server answers in the form that a request asks for, and works out anew which words that form allows in which state.

There are three forms. With --fixed what was worked out for a form is kept.

After https://github.com/dottxt-ai/outlines/issues/483.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 260
WORDS = 2000
LETTERS = "abcdefghijkl"
DIGITS = "0123456789"
# What each character of an answer may be: a name, a date and a price, as a key and its value.
FORMS = (
    [LETTERS] * 12 + [":"] + [LETTERS + " "] * 16,
    [LETTERS] * 8 + [":"] + [DIGITS + "-"] * 20,
    [LETTERS] * 10 + [":"] + [DIGITS + "."] * 18,
)


class Vocabulary:
    def __init__(self):
        chosen = random.Random(43)
        letters = LETTERS + DIGITS + " :.-"
        self.words = ["".join(chosen.choices(letters, k=chosen.randint(1, 4))) for _ in range(WORDS)]


def walk(form, state, word):
    """The state after `word`, none where it is not allowed."""
    for letter in word:
        if state == len(form) or letter not in form[state]:
            return None
        state += 1
    return state


def build_automaton(form, words):
    """By state: which words may follow, and the state after each."""
    automaton = []
    for state in range(len(form)):
        after = ((number, walk(form, state, word)) for number, word in enumerate(words))
        automaton.append({number: end for number, end in after if end is not None})
    return automaton


class Guide:
    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.kept = {}

    def automaton_for(self, number):
        if not IS_FIXED:
            return build_automaton(FORMS[number], self.vocabulary.words)
        if number not in self.kept:
            self.kept[number] = build_automaton(FORMS[number], self.vocabulary.words)
        return self.kept[number]


def main():
    torch.set_num_threads(1)
    culprit = ["build_automaton", "walk", "automaton_for"]
    loop = Loop(["host-work", "host-metrics"], culprit, "guide", verdicts=["serving"], step_s=0.008)
    guide = Guide(Vocabulary())

    def answer(body):
        # The first request warms up, before the loop.
        automaton = loop.timed("guide", guide.automaton_for, body[0]) if loop.steps else guide.automaton_for(body[0])
        tokens = torch.frombuffer(bytearray(body[4:]), dtype=torch.int32)
        loop.infer(tokens)
        return b"%d" % len(automaton[0])

    serve(loop, answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
