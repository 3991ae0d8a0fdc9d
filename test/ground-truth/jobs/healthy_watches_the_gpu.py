#!/usr/bin/python3
"""Nothing is wrong: a thread starts a program twice a second that tells how full the GPU is, and keeps what it says.

It waits for that program, and nobody waits for the thread.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of

# As nvidia-smi does, it takes its time to start.
PROGRAM = "import time; time.sleep(0.08); print(4096)"


class Watch(threading.Thread):
    def __init__(self, path):
        super().__init__(name="gpu-watch", daemon=True)
        self.path = path
        self.is_over = threading.Event()

    def ask_program(self):
        told = subprocess.run([sys.executable, "-S", "-c", PROGRAM], capture_output=True, check=True)
        return int(told.stdout)

    def run(self):
        with open(self.path, "a", encoding="utf8") as file:
            while not self.is_over.wait(0.5):
                file.write(json.dumps({"memory": self.ask_program()}) + "\n")
                file.flush()


def main():
    loop = Loop(step_s=0.024)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        watch = Watch(os.path.join(folder, "gpu.jsonl"))
        watch.start()
        for batch in loop.batches(loader_of(Items(16 * 320, 4096), 16, 2)):
            loop.train(batch)
        watch.is_over.set()
        watch.join()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
