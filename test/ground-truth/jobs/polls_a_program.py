#!/usr/bin/python3
"""How full the GPU is is asked of a program that is started anew at every other step. With --fixed at every 100th.

After https://github.com/Lightning-AI/pytorch-lightning/issues/189.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

# As nvidia-smi does, it takes its time to start.
PROGRAM = "import time; time.sleep(0.03); print(4096)"


def memory_used():
    return int(subprocess.check_output([sys.executable, "-S", "-c", PROGRAM]))


def main():
    loop = Loop("subprocess-wait", "memory_used", "program", step_s=0.008)
    for step, batch in enumerate(loop.batches(loader_of(Items(2400, 4096), 16, 2))):
        loop.train(batch)
        if step % (100 if IS_FIXED else 2) == 0:
            loop.timed("program", memory_used)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
