#!/usr/bin/python3
"""Sequences are packed from many short documents, and the loop fills the mask that keeps them apart, one by one.

It is as wide as it is long, and its memory is new each time. With --fixed only the documents' lengths go to the GPU,
which masks by them.

After https://github.com/NVIDIA/Megatron-LM/pull/1155.
"""

import ctypes
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 200
BATCH = 4
SEQUENCE = 1024
EOD = 0


class PackedTokens(Dataset):
    """A file's documents, one after the other, cut into pieces of one length."""

    def __init__(self):
        chosen = random.Random(51)
        self.tokens = torch.randint(1, 32_000, (200 * SEQUENCE,))
        place = 0
        while place < len(self.tokens):
            self.tokens[place] = EOD
            place += 8 + int(chosen.expovariate(1 / 40))

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        begin = index * 397 % (len(self.tokens) - SEQUENCE)
        return self.tokens[begin : begin + SEQUENCE]


def get_ltor_masks_and_position_ids(tokens, reset_attention_mask):
    count, length = tokens.shape
    loss_mask = (tokens != EOD).float()
    position_ids = torch.arange(length).repeat(count, 1)
    attention_mask = torch.tril(torch.ones(count, length, length)) if reset_attention_mask else None
    for row in range(count):
        before = 0
        for end in torch.nonzero(tokens[row] == EOD).flatten().tolist():
            if reset_attention_mask:
                attention_mask[row, end + 1 :, : end + 1] = 0
            position_ids[row, end + 1 :] -= end + 1 - before
            before = end + 1
    return attention_mask if attention_mask is None else attention_mask < 0.5, loss_mask, position_ids


class Pretraining:
    def __init__(self, loop):
        self.loop = loop
        self.devices = {}

    def copy_to_gpu(self, name, tensor):
        size = tensor.numel() * tensor.element_size()
        if name not in self.devices:
            self.devices[name] = self.loop.gpu.allocate(size, host=False)
        source = ctypes.c_void_p(tensor.data_ptr())
        self.loop.timed("copying", self.loop.gpu.transfer_batch, self.devices[name], source, size)

    def get_batch(self, tokens):
        masks = self.loop.timed("masks", get_ltor_masks_and_position_ids, tokens, not IS_FIXED)
        for name, tensor in zip(("attention_mask", "loss_mask", "position_ids"), masks):
            if tensor is not None:
                self.copy_to_gpu(name, tensor)
        return tokens

    def train_step(self, tokens):
        self.loop.train(self.get_batch(tokens))


def main():
    # The batch has come, and its mask is made before it is copied: that is preparing it, and the loop's own work.
    culprit = ["get_ltor_masks_and_position_ids", "get_batch"]
    loop = Loop(["host-data-movement", "host-work"], culprit, "masks", step_s=0.028)
    # Where freed memory is kept (MALLOC_MMAP_THRESHOLD_) it runs 10 % shorter.
    loop.also_right.append("allocator")
    pretraining = Pretraining(loop)
    for tokens in loop.batches(loader_of(PackedTokens(), BATCH, 1)):
        pretraining.train_step(tokens)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
