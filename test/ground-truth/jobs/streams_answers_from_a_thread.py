#!/usr/bin/python3
"""A language model's engine and its front end share a process: a thread puts the answers' texts together in Python.

The engine's loop waits for the interpreter again and again. With --fixed the front end is a process.

After https://github.com/vllm-project/vllm/issues/6797.
"""

import json
import multiprocessing
import os
import queue
import random
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

STEPS = 520
# Steps before the first request is there: how long they take alone.
IDLE_STEPS = 60
CHATS = 24
WORDS = 4000
STOPS = ("</answer>", "### Question", "<|end|>")


class Chat:
    def __init__(self, number):
        self.number = number
        self.tokens = [(number * 131 + place * 17) % WORDS for place in range(1800)]


class Detokenizer:
    def __init__(self):
        chosen = random.Random(41)
        self.words = ["".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=5)) for _ in range(WORDS)]

    def text_of(self, tokens):
        pieces = []
        for token in tokens:
            word = self.words[token]
            pieces.append(word if word.startswith("a") else " " + word)
        return "".join(pieces)


class FrontEnd:
    """Takes the new token of each chat and makes the next event of its stream."""

    def __init__(self):
        self.detokenizer = Detokenizer()
        self.chats = [Chat(number) for number in range(CHATS)]
        self.sent = 0

    def find_stop(self, text):
        return min((place for place in map(text.find, STOPS) if place >= 0), default=None)

    def make_event(self, chat):
        text = self.detokenizer.text_of(chat.tokens)
        choice = {"index": 0, "delta": {"content": text[-24:]}, "stop": self.find_stop(text)}
        return "data: " + json.dumps({"id": f"chat-{chat.number}", "choices": [choice]}) + "\n\n"

    def stream_answers(self, new_tokens):
        for chat, token in zip(self.chats, new_tokens):
            chat.tokens.append(token)
            del chat.tokens[0]
            self.sent += len(self.make_event(chat))


def serve_streams(outputs):
    front_end = FrontEnd()
    for new_tokens in iter(outputs.get, None):
        front_end.stream_answers(new_tokens)


class Engine:
    def __init__(self, loop):
        self.loop = loop
        # How long steps take while nobody is answered; what they take longer afterwards is the cause's.
        self.alone = []

    def step(self, number, tokens):
        begin = time.perf_counter()
        self.loop.infer(tokens)
        seconds = time.perf_counter() - begin
        if number < IDLE_STEPS:
            self.alone.append(seconds)
        else:
            self.loop.add("interpreter", max(0.0, seconds - statistics.median(self.alone)))
        return [(number * 7 + chat) % WORDS for chat in range(CHATS)]


def start_front_end():
    if IS_FIXED:
        context = multiprocessing.get_context("fork")
        outputs = context.SimpleQueue()
        context.Process(target=serve_streams, args=(outputs,), daemon=True).start()
    else:
        outputs = queue.SimpleQueue()
        threading.Thread(target=serve_streams, args=(outputs,), name="front-end", daemon=True).start()
    return outputs


def main():
    torch.set_num_threads(1)
    outputs = start_front_end()
    culprit = ["text_of", "find_stop", "make_event", "stream_answers", "serve_streams", "front-end"]
    loop = Loop("gil", culprit, "interpreter", ["host-work"], ["host-bound", "balanced"], step_s=0.009)
    engine = Engine(loop)
    for number, tokens in enumerate(loop.batches(torch.zeros(STEPS, 16, 1024))):
        new_tokens = engine.step(number, tokens)
        if number >= IDLE_STEPS:
            outputs.put(new_tokens)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
