#!/usr/bin/python3
"""Every 10 steps the loop looks for a file until another program has written it, with a pause between two looks.

With --fixed it looks once, and goes on without it.
"""

import os
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def await_go_ahead(path):
    while not os.path.exists(path) and not IS_FIXED:
        time.sleep(0.02)
    if os.path.exists(path):
        os.unlink(path)


def give_go_ahead(path):
    """Stands for a scheduler of a cluster that lets jobs go on."""
    while True:
        # So long each time, about as ten steps take.
        time.sleep(0.15)
        open(path, "w").close()


def main():
    loop = Loop("sleep", ["await_go_ahead"], "waiting", step_s=0.008)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "go")
        threading.Thread(target=give_go_ahead, args=(path,), daemon=True).start()
        for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 2))):
            loop.train(batch)
            if step % 10 == 9:
                loop.timed("waiting", await_go_ahead, path)
        loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
