#!/usr/bin/python3
"""An engine hands tokens to two processes through a ring of four blocks, and yields until both have read the oldest.

One of them looks each ended chat over, and reads nothing meanwhile. With --fixed it does so once the engine has ended.

After https://github.com/vllm-project/vllm/pull/5801 and https://github.com/vllm-project/vllm/pull/9994.
"""

import collections
import json
import math
import mmap
import multiprocessing
import os
import pickle
import random
import sys
import time

# A wait that spins would keep one of two CPUs from the readers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

STEPS = 600
CHATS = 16
ENDS_A_STEP = 0.1
BLOCKS = 4
BLOCK_BYTES = 1 << 18
READERS = ("detokenizer", "auditor")
ALTERNATIVES = 5
PROMPT_WORDS = 2700
WORDS = 4000


class ShmRingBuffer:
    """One writer, several readers, no locks: a block has a flag that it is written, and one for each who has read it."""

    def __init__(self):
        self.flags = mmap.mmap(-1, BLOCKS * (1 + len(READERS)))
        self.blocks = mmap.mmap(-1, BLOCKS * BLOCK_BYTES)

    def flags_of(self, block):
        begin = block * (1 + len(READERS))
        return self.flags[begin : begin + 1 + len(READERS)]

    def set_flags(self, block, flags):
        begin = block * (1 + len(READERS))
        self.flags[begin : begin + 1 + len(READERS)] = flags

    def mark_read(self, block, reader):
        self.flags[block * (1 + len(READERS)) + 1 + reader] = 1


class MessageQueue:
    def __init__(self, ring):
        self.ring = ring
        self.block = 0

    def acquire_write(self):
        while True:
            written, *read = self.ring.flags_of(self.block)
            if not written or all(read):
                return self.block
            os.sched_yield()

    def enqueue(self, message):
        block = self.acquire_write()
        packed = pickle.dumps(message)
        self.ring.set_flags(block, bytes(1 + len(READERS)))
        begin = block * BLOCK_BYTES
        self.ring.blocks[begin : begin + 4 + len(packed)] = len(packed).to_bytes(4, "little") + packed
        self.ring.set_flags(block, b"\1" + bytes(len(READERS)))
        self.block = (block + 1) % BLOCKS

    def acquire_read(self, reader):
        while True:
            flags = self.ring.flags_of(self.block)
            if flags[0] and not flags[1 + reader]:
                return self.block
            time.sleep(0.0005)

    def dequeue(self, reader):
        block = self.acquire_read(reader)
        begin = block * BLOCK_BYTES
        size = int.from_bytes(self.ring.blocks[begin : begin + 4], "little")
        message = pickle.loads(self.ring.blocks[begin + 4 : begin + 4 + size])
        self.ring.mark_read(block, reader)
        self.block = (block + 1) % BLOCKS
        return message


class Auditor:
    """Keeps what each chat was told and how sure the model was; looks it over when the chat ends."""

    def __init__(self, path):
        self.path = path
        self.prompts = {}
        self.tokens = collections.defaultdict(list)
        self.put_off = []

    def perplexity(self, tokens):
        return math.exp(-sum(alternatives[0][1] for alternatives in tokens) / len(tokens))

    def entropies(self, tokens):
        return [-sum(math.exp(log) * log for _, log in alternatives) for alternatives in tokens]

    def find_longest_repetition(self, words):
        """In words; of those before the answer as well."""
        longest = 0
        above = [0] * len(words)
        for at, word in enumerate(words):
            row = [0] * len(words)
            for later in range(at + 1, len(words)):
                if words[later] == word:
                    row[later] = above[later - 1] + 1
                    longest = max(longest, row[later])
            above = row
        return longest

    def audit_chat(self, chat, tokens):
        words = self.prompts.pop(chat) + [alternatives[0][0] for alternatives in tokens]
        told = {"chat": chat, "perplexity": self.perplexity(tokens), "repeats": self.find_longest_repetition(words)}
        told["entropies"] = [round(entropy, 4) for entropy in self.entropies(tokens)]
        told["tokens"] = tokens
        with open(self.path, "a", encoding="utf8") as file:
            file.write(json.dumps(told) + "\n")

    def take(self, message):
        self.prompts.update(message["begun"])
        for chat, alternatives in message["tokens"].items():
            self.tokens[chat].append(alternatives)
        for chat in message["ended"]:
            tokens = self.tokens.pop(chat)
            if IS_FIXED:
                self.put_off.append((chat, tokens))
            else:
                self.audit_chat(chat, tokens)

    def finish(self):
        for chat, tokens in self.put_off:
            self.audit_chat(chat, tokens)


class Detokenizer:
    """Puts the words of each chat into the stream of its answer."""

    def __init__(self):
        self.sent = collections.Counter()

    def take(self, message):
        for chat, alternatives in message["tokens"].items():
            self.sent[chat] += len(f"data: {{'token': {alternatives[0][0]}}}\n\n")

    def finish(self):
        self.sent.clear()


def read_outputs(ring, name):
    reader = Auditor(os.devnull) if name == "auditor" else Detokenizer()
    queue = MessageQueue(ring)
    while (message := queue.dequeue(READERS.index(name))) is not None:
        reader.take(message)
    reader.finish()


class Engine:
    def __init__(self, loop, queue):
        self.loop = loop
        self.queue = queue
        self.drawn = random.Random(19)
        self.running = []
        self.started = 0

    def draw_alternatives(self):
        logs = sorted((-self.drawn.expovariate(0.7) for _ in range(ALTERNATIVES)), reverse=True)
        return [(self.drawn.randrange(WORDS), log) for log in logs]

    def begin_chats(self):
        begun = range(self.started, self.started + CHATS - len(self.running))
        self.started = begun.stop
        self.running.extend(begun)
        return {chat: self.drawn.choices(range(WORDS), k=PROMPT_WORDS) for chat in begun}

    def end_chats(self):
        return [self.running.pop(0)] if self.drawn.random() < ENDS_A_STEP else []

    def step(self, scores):
        begun = self.begin_chats()
        self.loop.infer(scores)
        tokens = {chat: self.draw_alternatives() for chat in self.running}
        return {"begun": begun, "tokens": tokens, "ended": self.end_chats()}


def main():
    torch.set_num_threads(1)
    ring = ShmRingBuffer()
    context = multiprocessing.get_context("fork")
    readers = [context.Process(target=read_outputs, args=(ring, name), name=name) for name in READERS]
    for reader in readers:
        reader.start()
    blamed = ["acquire_write", "enqueue", "audit_chat", "find_longest_repetition", "read_outputs", f"pid {readers[1].pid}"]
    loop = Loop(["subprocess-wait", "host-work"], blamed, "broadcast", step_s=0.012)
    queue = MessageQueue(ring)
    engine = Engine(loop, queue)
    for scores in loop.batches(torch.zeros(STEPS, CHATS, 1024)):
        loop.timed("broadcast", queue.enqueue, engine.step(scores))
    loop.report(sys.argv[1])
    queue.enqueue(None)
    for reader in readers:
        reader.join()


if __name__ == "__main__":
    main()
