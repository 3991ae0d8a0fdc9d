#!/usr/bin/python3
"""As a notebook's kernel: does what lines on standard input say, one after the other, and prints what they print.

`calls N` makes N calls of cudaMalloc, cudaMemcpy and cudaFree each; `load` loads CUDA, which `--loaded` does before
anything else; `rank N` does a line in the process of rank N (`--ranks`); what else comes is run as Python. A line that is
done is answered with a line `done`.
"""

import argparse
import ctypes
import os
import subprocess
import sys


class Job:
    def __init__(self, library):
        self.library = library
        self.cuda = None
        self.names = {}

    def load(self):
        self.cuda = ctypes.CDLL(self.library)
        self.make_calls(1)

    def make_calls(self, count):
        size = ctypes.c_size_t(4096)
        host, device = ctypes.create_string_buffer(4096), ctypes.c_void_p()
        for _ in range(count):
            results = [
                self.cuda.cudaMalloc(ctypes.byref(device), size),
                self.cuda.cudaMemcpy(device, host, size, 1),
                self.cuda.cudaFree(device),
            ]
            if any(results):
                raise RuntimeError(f"CUDA said {results}")

    def do(self, line):
        word, _, rest = line.partition(" ")
        if word == "calls":
            self.make_calls(int(rest))
        elif word == "load":
            self.load()
        else:
            exec(line, self.names)


def start_rank(options, rank):
    environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(options.ranks)}
    command = [sys.executable, __file__, "--library", options.library, "--loaded"]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process, line):
    process.stdin.write(line + "\n")
    process.stdin.flush()
    while (answer := process.stdout.readline().rstrip("\n")) != "done":
        print(answer, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--loaded", action="store_true")
    parser.add_argument("--ranks", type=int, default=0)
    options = parser.parse_args()
    ranks = [start_rank(options, rank) for rank in range(options.ranks)]
    job = Job(options.library)
    if options.loaded:
        job.load()
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "rank":
            number, _, line_of_rank = rest.partition(" ")
            ask(ranks[int(number)], line_of_rank)
        else:
            job.do(line.rstrip("\n"))
        print("done", flush=True)
    for rank in ranks:
        rank.stdin.close()
        rank.wait()


if __name__ == "__main__":
    main()
