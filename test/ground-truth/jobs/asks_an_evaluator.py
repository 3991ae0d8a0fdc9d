#!/usr/bin/python3
"""Every 10 steps the weights go through a pipe to a process that evaluates them; the loop waits for its score.

With --fixed the score is taken 10 steps later, when it has long been there.
"""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, compute, loader_of


def evaluate_weights(pipe):
    torch.set_num_threads(1)
    while True:
        weights = pipe.recv()
        if weights is None:
            return
        compute(0.12)
        pipe.send(float(weights[0]))


def await_score(pipe):
    return pipe.recv()


def main():
    ids = ["producer", "subprocess-wait", "evaluation", "slow-server"]
    loop = Loop(ids, ["evaluate_weights", "await_score", "ask_for_score"], "score", step_s=0.008)
    pipe, others = multiprocessing.Pipe()
    evaluator = multiprocessing.get_context("fork").Process(target=evaluate_weights, args=(others,))
    evaluator.start()
    weights = torch.rand(10_000)

    def ask_for_score(asked):
        if IS_FIXED and asked:
            await_score(pipe)
        pipe.send(weights)
        if not IS_FIXED:
            await_score(pipe)

    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 2))):
        loop.train(batch)
        if step % 10 == 9:
            loop.timed("score", ask_for_score, step > 9)
    loop.report(sys.argv[1])
    if IS_FIXED:
        await_score(pipe)
    pipe.send(None)
    evaluator.join()


if __name__ == "__main__":
    main()
