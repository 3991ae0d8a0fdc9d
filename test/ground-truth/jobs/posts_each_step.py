#!/usr/bin/python3
"""Each step's loss is posted to a tracking server, and its answer waited for. With --fixed at every 50th step.

After https://github.com/Lightning-AI/pytorch-lightning/issues/3393.
"""

import http.client
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def server_port():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return int(file.read().split()[0])


def post_loss(server, step):
    server.request("POST", "/metrics", body=f"loss {1 / (1 + step)}")
    server.getresponse().read()


def main():
    port = server_port()
    server = http.client.HTTPConnection("127.0.0.1", port)
    ids = ["slow-server", "slow-output", "host-work"]
    loop = Loop(ids, ["post_loss", f":{port}", f"port {port}"], "post", step_s=0.006)
    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 2))):
        loop.train(batch)
        if not IS_FIXED or step % 50 == 0:
            loop.timed("post", post_loss, server, step)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
