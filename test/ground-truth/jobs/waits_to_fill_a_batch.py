#!/usr/bin/python3
"""A server gathers up to 16 requests before it asks the model, for 35 ms at most, but has no more than six users.

Each of them waits for its answer before it asks again, so that no batch ever fills. With --fixed six are enough.

After https://github.com/pytorch/serve/issues/2005.
"""

import asyncio
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

USERS = 6
BATCH = USERS if IS_FIXED else 16
DELAY_S = 0.035
BATCHES = 170
BYTES = 4096


class Batcher:
    def __init__(self):
        self.requests = asyncio.Queue()

    async def handle_user(self, reader, writer):
        try:
            while True:
                asked = await reader.readexactly(BYTES)
                answered = asyncio.get_running_loop().create_future()
                await self.requests.put((asked, answered))
                writer.write(await answered)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def gather_batch(self):
        batch = [await self.requests.get()]
        until = time.monotonic() + DELAY_S
        while len(batch) < BATCH:
            try:
                batch.append(await asyncio.wait_for(self.requests.get(), until - time.monotonic()))
            except asyncio.TimeoutError:
                break
        return batch


def tell_port(port):
    folder = os.environ["STALLTRACE_BESIDE"]
    part = os.path.join(folder, "port.part")
    with open(part, "w", encoding="utf8") as file:
        file.write(str(port))
    os.rename(part, os.path.join(folder, "port"))


def ask_model(loop, batch):
    features = torch.stack([torch.frombuffer(bytearray(asked), dtype=torch.float32) for asked, _ in batch])
    loop.infer(features)
    for (_, answered), score in zip(batch, features.sum(dim=1).tolist()):
        answered.set_result(b"%8.3f" % score)


async def serve(loop):
    batcher = Batcher()
    server = await asyncio.start_server(batcher.handle_user, "127.0.0.1", 0)
    tell_port(server.sockets[0].getsockname()[1])
    # Until all users have come.
    while len(batch := await batcher.gather_batch()) < USERS:
        ask_model(loop, batch)
    loop.seconds.clear()
    for _ in range(BATCHES):
        loop.steps.append(time.perf_counter())
        ask_model(loop, batch)
        asked = time.perf_counter()
        batch = await batcher.gather_batch()
        loop.add("input", time.perf_counter() - asked)
    loop.steps.append(time.perf_counter())
    server.close()


def main():
    torch.set_num_threads(1)
    ids = ["batch-delay", "sleep"]
    verdicts = ["serving", "input-bound", "host-bound", "balanced"]
    loop = Loop(ids, ["gather_batch"], verdicts=verdicts, step_s=0.015)
    asyncio.run(serve(loop))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
