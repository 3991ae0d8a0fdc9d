#!/usr/bin/python3
"""A worker asks for each page of embeddings with a new client, which first reads every certificate that it could need.

The server is near and fast, and speaks plain HTTP. With --fixed each worker has one client.

After https://github.com/encode/httpx/issues/2298, whose clients do so for a backend on the same machine.
"""

import http.client
import os
import ssl
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from limits import cannot_run
from loop import IS_FIXED, Loop, loader_of
from store import place
from torch.utils.data import Dataset

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PAGES_A_BATCH = 6
STEPS = 160


class Client:
    """Is made as those for the internet are."""

    def __init__(self, port):
        self.trust = ssl.create_default_context(cafile=CERTIFICATES)
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def get(self, path):
        self.connection.request("GET", path)
        return self.connection.getresponse().read()

    def close(self):
        self.connection.close()


class EmbeddingService:
    def __init__(self, port):
        self.port = port
        self.client = None

    def get_page(self, page):
        client = self.client or Client(self.port)
        vectors = client.get(f"/pages/{page}")
        if IS_FIXED:
            self.client = client
        else:
            client.close()
        return vectors


class Pages(Dataset):
    """Each is what is known of 16 documents."""

    def __init__(self, service):
        self.service = service

    def __len__(self):
        return STEPS * PAGES_A_BATCH

    def __getitem__(self, page):
        vectors = bytearray(self.service.get_page(page))
        return torch.frombuffer(vectors, dtype=torch.float32).reshape(16, -1)


def main():
    if not os.path.exists(CERTIFICATES):
        cannot_run(f"needs {CERTIFICATES}, of the package ca-certificates")
    port, _ = place()
    culprit = ["create_default_context", "ssl.py", "Client.__init__", "get_page"]
    loop = Loop("slow-getitem", culprit, step_s=0.036)
    for batch in loop.batches(loader_of(Pages(EmbeddingService(port)), PAGES_A_BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
