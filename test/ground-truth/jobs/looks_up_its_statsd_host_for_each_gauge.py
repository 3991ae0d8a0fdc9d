#!/usr/bin/python3
"""Every 4 steps the norms of 16 layers go to statsd, and for each of them the cluster's DNS is asked where statsd is.

It is UDP, which nobody waits for; but its name is, as an agent beside the job asks the cluster's servers for it. With --fixed
it is asked for once.

After https://github.com/reddit/baseplate.py/pull/2, https://github.com/etsy/logster/issues/103 and
https://github.com/Shopify/statsd-instrument/issues/7.
"""

import os
import random
import socket
import struct
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 280
BATCH = 16
TOKENS = 512
LAYERS = 16
NORMS_EVERY = 4
SERVICE = "statsd.service.consul"
SRV, INTERNET = 33, 1
SKIPPED_OF_RECORD = 2 + 8
TIMEOUT_S = 2.0


class TokenBlocks(Dataset):
    def __init__(self):
        drawn = torch.Generator().manual_seed(8)
        self.tokens = torch.randint(50_000, (STEPS * BATCH, TOKENS), dtype=torch.int32, generator=drawn)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return self.tokens[index]


class ServiceResolver:
    """Asks the agent of the cluster for a service's port, by a DNS query of its own as libc can't ask for that."""

    def __init__(self, agent_port):
        self.agent = ("127.0.0.1", agent_port)
        self.numbers = random.Random(2)

    def query_of(self, number, name):
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        return struct.pack("!6H", number, 0x0100, 1, 0, 0, 0) + labels + struct.pack("!B2H", 0, SRV, INTERNET)

    def resolve_service(self, name):
        query = self.query_of(self.numbers.randrange(1 << 16), name)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.settimeout(TIMEOUT_S)
            asked.sendto(query, self.agent)
            answer = asked.recv(512)
        if answer[:2] != query[:2]:
            raise OSError(f"the agent answered another query than that for {name}")
        _, _, _, port = struct.unpack_from("!H3H", answer, len(query) + SKIPPED_OF_RECORD)
        return "127.0.0.1", port


class StatsClient:
    def __init__(self, resolver, prefix):
        self.resolver = resolver
        self.prefix = prefix
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = resolver.resolve_service(SERVICE) if IS_FIXED else None

    def gauge(self, name, value):
        address = self.address or self.resolver.resolve_service(SERVICE)
        self.socket.sendto(f"{self.prefix}.{name}:{value:.6f}|g".encode(), address)


class LanguageModelTrainer:
    def __init__(self, loop, stats):
        self.loop = loop
        self.stats = stats
        self.layers = torch.rand(LAYERS, 4096)

    def report_norms(self):
        for layer, norm in enumerate(self.layers.norm(dim=1).tolist()):
            self.stats.gauge(f"layer_{layer}.grad_norm", norm)

    def train_step(self, step, tokens):
        self.loop.train(tokens)
        if step % NORMS_EVERY == 0:
            self.loop.timed("reporting", self.report_norms)


def agent_port():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return int(file.read().split()[0])


def main():
    port = agent_port()
    culprit = ["resolve_service", "ServiceResolver", "gauge", "StatsClient", "report_norms", "consul", f":{port}", f"port {port}"]
    # What it waits for is the agent's answer, and it does so to tell its figures.
    loop = Loop(["slow-server", "slow-output"], culprit, "reporting", step_s=0.024)
    trainer = LanguageModelTrainer(loop, StatsClient(ServiceResolver(port), "pretrain.run_7"))
    for step, tokens in enumerate(loop.batches(loader_of(TokenBlocks(), BATCH, 2))):
        trainer.train_step(step, tokens)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
