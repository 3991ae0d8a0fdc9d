#!/usr/bin/python3
"""Beside two tensors a batch holds documents, and each of their words is looked at for tensors to move to the GPU.

There are none in them. With --fixed the two tensors are moved, and nothing else is looked at.

After https://github.com/ArneBinder/pytorch-ie/pull/199, which takes the documents out of the batch that a trainer moves.
"""

import copy
import ctypes
import dataclasses
import os
import random
import sys
from collections.abc import Mapping, Sequence

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCH = 16
LENGTH = 4096
DOCUMENTS = 64
LABELS = ["person", "place", "firm", "date"]


@dataclasses.dataclass
class Entity:
    start: int
    end: int
    label: str
    score: float


@dataclasses.dataclass
class Document:
    name: str
    words: list
    entities: list


def write_document(number, chosen):
    words = [f"w{chosen.randrange(500)}" for _ in range(240)]
    starts = [chosen.randrange(238) for _ in range(48)]
    entities = [Entity(start, start + 2, chosen.choice(LABELS), chosen.random()) for start in starts]
    return Document(f"document-{number}", words, entities)


class Corpus(Dataset):
    def __init__(self):
        chosen = random.Random(13)
        self.documents = [write_document(number, chosen) for number in range(DOCUMENTS)]
        self.token_ids = torch.rand(DOCUMENTS, LENGTH)

    def __len__(self):
        return BATCH * 420

    def __getitem__(self, index):
        return self.token_ids[index % DOCUMENTS], self.documents[index % DOCUMENTS]


def collate_documents(samples):
    token_ids = torch.stack([tokens for tokens, _ in samples])
    return {
        "inputs": {"token_ids": token_ids, "mask": torch.ones(BATCH, 256)},
        "documents": [document for _, document in samples],
    }


def apply_to_collection(data, function):
    """The same with `function` of each tensor in it, however deep."""
    if isinstance(data, torch.Tensor):
        return function(data)
    if isinstance(data, Mapping):
        return type(data)((key, apply_to_collection(value, function)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(apply_to_collection(value, function) for value in data))
    if isinstance(data, Sequence) and not isinstance(data, str):
        return type(data)([apply_to_collection(value, function) for value in data])
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        result = copy.copy(data)
        for field in dataclasses.fields(data):
            setattr(result, field.name, apply_to_collection(getattr(data, field.name), function))
        return result
    return data


class Module:
    def __init__(self, gpu):
        self.gpu = gpu
        self.places = {}

    def to_device(self, tensor):
        size = tensor.numel() * tensor.element_size()
        if size not in self.places:
            self.places[size] = self.gpu.allocate(size, host=False)
        self.gpu.transfer_batch(self.places[size], ctypes.c_void_p(tensor.data_ptr()), size)
        return tensor

    def transfer_batch_to_device(self, batch):
        if IS_FIXED:
            return {**batch, "inputs": apply_to_collection(batch["inputs"], self.to_device)}
        return apply_to_collection(batch, self.to_device)

    def training_step(self):
        self.gpu.launch_kernels()
        self.gpu.wait()


def main():
    ids = ["host-data-movement", "batch-transfers", "host-work"]
    culprit = ["apply_to_collection", "transfer_batch_to_device"]
    loop = Loop(ids, culprit, "moving", verdicts=["host-bound", "balanced"], step_s=0.008)
    module = Module(loop.gpu)
    for batch in loop.batches(loader_of(Corpus(), BATCH, 1, collate_fn=collate_documents)):
        loop.timed("moving", module.transfer_batch_to_device, batch)
        module.training_step()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
