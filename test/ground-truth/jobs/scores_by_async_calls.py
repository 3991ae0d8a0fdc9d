#!/usr/bin/python3
"""At each step the loop asks a reward model over the network for eight scores at once, with asyncio, and waits.

With --fixed the model answers at once.
"""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of
from store import PART_BYTES, key_of, place

ANSWERS = 8


async def connect(port):
    return [await asyncio.open_connection("127.0.0.1", port) for _ in range(ANSWERS)]


async def score_one(reader, writer, answer):
    writer.write(key_of(answer))
    await writer.drain()
    return (await reader.readexactly(PART_BYTES))[0]


async def score_answers(models):
    return await asyncio.gather(*(score_one(*model, answer) for answer, model in enumerate(models)))


def main():
    port, pid = place()
    ids = ["slow-server", "slow-output", "host-work"]
    loop = Loop(ids, ["score_answers", "score_one", f":{port}", f"pid {pid}"], "scores", step_s=0.008)
    events = asyncio.new_event_loop()
    models = events.run_until_complete(connect(port))
    for batch in loop.batches(loader_of(Items(3200, 4096), 16, 2)):
        loop.train(batch)
        loop.timed("scores", lambda: events.run_until_complete(score_answers(models)))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
