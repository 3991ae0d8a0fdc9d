#!/usr/bin/python3
"""A server looks which blocks of a prompt it has computed before, and hashes all words before a block, for each of 240 blocks.

With --fixed a block's hash is of its own words and the hash before it.

After https://github.com/vllm-project/aibrix/issues/1234.
"""

import array
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 300
BLOCK = 16
CACHED_BLOCKS = 2000
HIDDEN = 1024


class PrefixCache:
    """The blocks that were used last, by the hash of all words up to their end."""

    def __init__(self):
        self.blocks = collections.OrderedDict()
        self.free = 0

    def hash_of_block(self, tokens, end, before):
        if IS_FIXED:
            return hash((before, tuple(tokens[end - BLOCK : end])))
        return hash(tuple(tokens[:end]))

    def get_prefix_hashes(self, tokens):
        hashes = []
        for end in range(BLOCK, len(tokens) + 1, BLOCK):
            hashes.append(self.hash_of_block(tokens, end, hashes[-1] if hashes else 0))
        return hashes

    def match_prefix(self, tokens):
        """How many blocks at the start of the prompt need not be computed."""
        hashes = self.get_prefix_hashes(tokens)
        known = next((count for count, key in enumerate(hashes) if key not in self.blocks), len(hashes))
        for key in hashes:
            self.touch(key)
        return known

    def touch(self, key):
        if key not in self.blocks:
            self.blocks[key] = self.free
            self.free += 1
            if len(self.blocks) > CACHED_BLOCKS:
                self.blocks.popitem(last=False)
        self.blocks.move_to_end(key)


class Engine:
    def __init__(self, loop):
        self.loop = loop
        self.cache = PrefixCache()
        self.hidden = torch.rand(BLOCK, HIDDEN)

    def answer(self, body):
        tokens = array.array("i", body).tolist()
        known = self.loop.timed("hashing", self.cache.match_prefix, tokens)
        self.loop.infer(self.hidden)
        return b'{"cached_tokens": %d, "text": "..."}' % (known * BLOCK)


def main():
    culprit = ["hash_of_block", "get_prefix_hashes", "match_prefix"]
    loop = Loop(["host-work", "host-metrics"], culprit, "hashing", verdicts=["serving"], step_s=0.008)
    serve(loop, Engine(loop).answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
