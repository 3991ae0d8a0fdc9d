#!/usr/bin/python3
"""A language model keeps what it computed of its prompts, in blocks, as many begin alike; the oldest block makes room.

To find that one, all free blocks are looked at, for each new one. With --fixed they lie in the order of their use.

After https://github.com/vllm-project/vllm/pull/7193 and https://github.com/vllm-project/vllm/pull/7209.
"""

import collections
import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BLOCK_TOKENS = 16
PROMPTS_A_STEP = 12
STEPS = 300
SUBJECTS = 24
EXAMPLE_TOKENS = 384
QUESTION_TOKENS = 128
BLOCKS = 1600


class Prompts(Dataset):
    """Questions of an exam: those of a subject begin with the same examples."""

    def __init__(self):
        self.examples = torch.randint(32_000, (SUBJECTS, EXAMPLE_TOKENS))

    def __len__(self):
        return STEPS * PROMPTS_A_STEP

    def __getitem__(self, index):
        question = torch.randint(32_000, (QUESTION_TOKENS,))
        return torch.cat([self.examples[index % SUBJECTS], question])


class Block:
    __slots__ = ("number", "content", "hashed_tokens", "last_accessed")

    def __init__(self, number, content, hashed_tokens):
        self.number = number
        self.content = content
        self.hashed_tokens = hashed_tokens
        self.last_accessed = 0


class LRUEvictor:
    """Free blocks, whose contents are still known. Of equally old ones, the longest prefix goes first."""

    def __init__(self):
        self.free_table = collections.OrderedDict()

    def add(self, block):
        self.free_table[block.content] = block

    def take(self, content):
        return self.free_table.pop(content, None)

    def evict(self):
        if IS_FIXED:
            return self.free_table.popitem(last=False)[1]
        oldest = None
        for block in self.free_table.values():
            if oldest is None or self.is_older(block, oldest):
                oldest = block
        return self.free_table.pop(oldest.content)

    @staticmethod
    def is_older(block, other):
        if block.last_accessed == other.last_accessed:
            return block.hashed_tokens > other.hashed_tokens
        return block.last_accessed < other.last_accessed


class PrefixCachingAllocator:
    def __init__(self):
        self.evictor = LRUEvictor()
        self.in_use = {}
        self.unused = list(range(BLOCKS))

    def allocate(self, content, hashed_tokens):
        block = self.in_use.get(content) or self.evictor.take(content)
        if block is None:
            number = self.unused.pop() if self.unused else self.evictor.evict().number
            block = Block(number, content, hashed_tokens)
        self.in_use[content] = block
        return block

    def free(self, step):
        """All that the step used; the ends of prompts are freed before their beginnings."""
        for block in reversed(self.in_use.values()):
            block.last_accessed = step
            self.evictor.add(block)
        self.in_use.clear()


class Scheduler:
    def __init__(self, allocator):
        self.allocator = allocator

    def contents_of(self, tokens):
        """What a block holds depends on all that is before it."""
        content = 0
        for begin in range(0, len(tokens), BLOCK_TOKENS):
            content = hash((content, *tokens[begin : begin + BLOCK_TOKENS]))
            yield content, begin + BLOCK_TOKENS

    def schedule(self, prompts):
        """The numbers of each prompt's blocks."""
        tables = [
            [self.allocator.allocate(*content).number for content in self.contents_of(tokens)]
            for tokens in prompts.tolist()
        ]
        return torch.tensor(tables)


def main():
    culprit = ["LRUEvictor.evict", "evict", "is_older", "PrefixCachingAllocator.allocate"]
    loop = Loop("host-work", culprit, "evicting", step_s=0.02)
    allocator = PrefixCachingAllocator()
    scheduler = Scheduler(allocator)
    allocator.evictor.evict = timed_eviction(loop, allocator.evictor.evict)
    for step, prompts in enumerate(loop.batches(loader_of(Prompts(), PROMPTS_A_STEP, 1))):
        loop.infer(scheduler.schedule(prompts))
        allocator.free(step)
    loop.report(sys.argv[1])


def timed_eviction(loop, evict):
    return lambda: loop.timed("evicting", evict)


if __name__ == "__main__":
    main()
