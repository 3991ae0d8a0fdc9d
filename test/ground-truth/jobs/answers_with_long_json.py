#!/usr/bin/python3
"""A server of embeddings answers each request with 24,000 numbers as JSON, which its only thread spells out.

With --fixed their bytes are sent as base64.

After https://github.com/pytorch/serve/issues/769, of answers that take longer to write as JSON than to find.
"""

import base64
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 320
SENTENCES = 24
WIDTH = 1024


class Embedder:
    def __init__(self, loop):
        self.loop = loop
        self.table = numpy.random.default_rng(8).normal(size=(SENTENCES, WIDTH)).astype(numpy.float32)

    def embed(self, body):
        self.loop.infer(torch.frombuffer(bytearray(body), dtype=torch.uint8))
        # The simulated GPU computes nothing.
        return numpy.roll(self.table, len(self.loop.steps), axis=1)


def to_plain(value):
    """As frameworks make what they are given ready for JSON: part by part."""
    if isinstance(value, dict):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(part) for part in value]
    if isinstance(value, float):
        return round(value, 6)
    return value


def encode_answer(embeddings):
    if IS_FIXED:
        told = {"dtype": "float32", "data": base64.b64encode(embeddings.tobytes()).decode("ascii")}
        return json.dumps(told).encode()
    told = [{"index": index, "embedding": row} for index, row in enumerate(embeddings.tolist())]
    return json.dumps(to_plain({"object": "list", "data": told})).encode()


def main():
    torch.set_num_threads(1)
    ids = ["host-work", "host-metrics", "postprocessing"]
    loop = Loop(ids, ["encode_answer", "to_plain"], "encoding", verdicts=["serving"], step_s=0.008)
    embedder = Embedder(loop)

    def answer(body):
        embeddings = embedder.embed(body)
        # The first request lies before the loop.
        return loop.timed("encoding", encode_answer, embeddings) if loop.steps else encode_answer(embeddings)

    serve(loop, answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
