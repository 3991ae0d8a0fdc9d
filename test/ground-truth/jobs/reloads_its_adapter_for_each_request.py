#!/usr/bin/python3
"""A server has an adapter for each of three customers, and reads it from its file anew for each request.

The files are in the cache. With --fixed adapters that were read are kept.

After https://github.com/vllm-project/vllm/pull/41482.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 280
CUSTOMERS = 3
LAYERS = 64
RANK = 64
WIDTH = 512


def write_adapters(folder):
    for customer in range(CUSTOMERS):
        names = [f"layers.{layer}.attention.lora_{half}" for layer in range(LAYERS) for half in "AB"]
        adapter = {name: torch.full((RANK, WIDTH), float(customer)) for name in names}
        torch.save(adapter, os.path.join(folder, f"customer-{customer}.adapter"))


class Adapters:
    def __init__(self, folder):
        self.folder = folder
        self.kept = {}

    def load_adapter(self, customer):
        path = os.path.join(self.folder, f"customer-{customer}.adapter")
        return torch.load(path, weights_only=True)

    def activate(self, customer):
        if not IS_FIXED:
            return self.load_adapter(customer)
        if customer not in self.kept:
            self.kept[customer] = self.load_adapter(customer)
        return self.kept[customer]


def main():
    torch.set_num_threads(1)
    ids = ["host-work", "host-data-movement", "checkpoint"]
    loop = Loop(ids, ["load_adapter", "Adapters.activate"], "loading", verdicts=["serving"], step_s=0.008)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        write_adapters(folder)
        adapters = Adapters(folder)

        def answer(body):
            loop.timed("loading", adapters.activate, body[0])
            loop.infer(torch.frombuffer(bytearray(body[4:]), dtype=torch.int32))

        serve(loop, answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
