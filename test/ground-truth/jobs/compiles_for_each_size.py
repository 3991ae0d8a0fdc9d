#!/usr/bin/python3
"""A server compiles a function for each new length of a request. With --fixed for four lengths, before it serves.

After https://github.com/vllm-project/vllm-ascend/issues/14324.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from shutil import which

import torch
from limits import cannot_run
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 200
SIZES = (1024, 2048, 3072, 4096)
SOURCE = """
void scale(float *row) {
    for (int at = 0; at < SIZE; at++)
        row[at] = row[at] * 0.5f + 1.0f;
}
"""


@functools.cache
def compile_for(size):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        library = os.path.join(folder, "scale.so")
        command = ["cc", "-O2", "-shared", "-fPIC", f"-DSIZE={size}", "-x", "c", "-o", library, "-"]
        subprocess.run(command, input=SOURCE.encode(), check=True)
        return ctypes.CDLL(library).scale


def main():
    if which("cc") is None:
        cannot_run("needs a C compiler: apt-get install gcc")
    torch.set_num_threads(1)
    loop = Loop("compiling", "compile_for", "compiling", verdicts=["serving"], step_s=0.008)
    if IS_FIXED:
        for size in SIZES:
            compile_for(size)

    def answer(body):
        size = len(body)
        if IS_FIXED:
            size = min(each for each in SIZES if each >= size)
        scale = loop.timed("compiling", compile_for, size)
        row = torch.zeros(size)
        scale(ctypes.c_void_p(row.data_ptr()))
        loop.infer(row)

    serve(loop, answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
