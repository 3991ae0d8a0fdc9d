#!/usr/bin/python3
"""Workers print what they load, and whoever reads the job's output is slow: they wait until there is room in the pipe.

With --fixed they do not print.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

READER = """import os, sys, time
while os.read(0, 4096): time.sleep(0.004)"""


class Told(Items):
    def __init__(self, pipe):
        super().__init__(3200, 4096)
        self.pipe = pipe

    def tell(self, index, item):
        text = f"sample {index}: {item[:50].tolist()}\n"
        os.write(self.pipe, text.encode())

    def __getitem__(self, index):
        item = super().__getitem__(index)
        if not IS_FIXED:
            self.tell(index, item)
        return item


def main():
    read_end, write_end = os.pipe()
    reader = subprocess.Popen([sys.executable, "-S", "-c", READER], stdin=read_end)
    os.close(read_end)
    ids = ["slow-server", "slow-output", "slow-getitem"]
    loop = Loop(ids, ["tell", f"pid {reader.pid}"], step_s=0.004)
    loop.also_right += ["slow-getitem"]
    for batch in loop.batches(loader_of(Told(write_end), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])
    reader.kill()


if __name__ == "__main__":
    main()
