#!/usr/bin/python3
"""A server that answers one request after the other with a model, asked now and then: nothing is wrong with it."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from model_server import serve

REQUESTS = 300


def main():
    loop = Loop(verdicts=["serving"], step_s=0.008)
    features = torch.zeros(16, 4096)
    serve(loop, lambda body: loop.infer(features), REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
