#!/usr/bin/python3
"""A kernel of a language is built anew for each length of a batch that has not come before: its launcher is C, and cc is run.

The loop waits for the compiler, again and again in the beginning, and later now and then. With --fixed the length is an
argument of the kernels, so that those that were built before the first step fit all.

After https://github.com/facebookexperimental/triton/pull/1139, https://github.com/pytorch/pytorch/pull/148561 and
https://github.com/intel/intel-xpu-backend-for-triton/issues/5388.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from limits import cannot_run
from loop import IS_FIXED, Loop
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

STEPS = 200
BATCH = 12
SHORTEST, LONGEST = 24, 900
PAD_TO = 16
ARGUMENTS = 14
KERNELS = ("rms_norm_fwd", "rope_fwd", "attention_fwd", "swiglu_fwd")
HEADERS = ("stdbool.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "dlfcn.h", "math.h")


class Sentences(Dataset):
    """Numbers of words; a few sentences are far longer than most."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(6)
        lengths = torch.empty(STEPS * BATCH).log_normal_(4.3, 0.55, generator=drawn)
        self.lengths = lengths.clamp(SHORTEST, LONGEST).int().tolist()
        self.words = torch.randint(1, 32_000, (LONGEST,), generator=drawn)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return self.words[: self.lengths[index]]


def pad_sentences(sentences):
    words = pad_sequence(sentences, batch_first=True)
    return torch.nn.functional.pad(words, (0, -words.shape[1] % PAD_TO))


class LauncherBuilder:
    """What turns a kernel's arguments into those of a launch, as a library of its own for each kernel and its constants."""

    def __init__(self, folder):
        self.folder = folder
        self.compiler = shutil.which("cc")
        if self.compiler is None:
            cannot_run("needs a C compiler: install gcc")

    def source_of(self, kernel, constants):
        includes = [f"#include <{header}>" for header in HEADERS]
        defines = [f"#define {name} {value}" for name, value in constants.items()]
        parameters = ", ".join(f"uint64_t arg{number}" for number in range(ARGUMENTS))
        packed = "\n".join(f"  params[{number}] = &arg{number};" for number in range(ARGUMENTS))
        grid = "(unsigned)((arg13 + BLOCK - 1) / BLOCK)" if "BLOCK" in constants else "(unsigned)arg13"
        body = f"  void *params[{ARGUMENTS}];\n{packed}\n  printed(\"{kernel}\", params);\n  return {grid};"
        printed = (
            "static void printed(const char *name, void **params) {\n"
            "  if (getenv(\"KERNEL_LAUNCH_DEBUG\") == NULL) return;\n"
            f"  for (int i = 0; i < {ARGUMENTS}; i++)\n"
            "    fprintf(stderr, \"%s %d %llu\\n\", name, i, (unsigned long long)*(uint64_t *)params[i]);\n"
            "}"
        )
        return "\n".join([*includes, *defines, printed, f"unsigned launch({parameters}) {{\n{body}\n}}", ""])

    def build_launcher(self, kernel, constants):
        name = "-".join([kernel, *map(str, constants.values())])
        source, library = (os.path.join(self.folder, name + ending) for ending in (".c", ".so"))
        with open(source, "w", encoding="utf8") as file:
            file.write(self.source_of(kernel, constants))
        subprocess.run([self.compiler, source, "-O3", "-shared", "-fPIC", "-o", library], check=True)
        return ctypes.CDLL(library).launch


class JitKernel:
    """Built when it is first launched with these constants."""

    def __init__(self, name, builder):
        self.name = name
        self.builder = builder
        self.launchers = {}

    def constants_for(self, length):
        return {"WARPS": 4} if IS_FIXED else {"WARPS": 4, "BLOCK": length}

    def launcher_for(self, length):
        constants = self.constants_for(length)
        key = tuple(constants.values())
        if key not in self.launchers:
            self.launchers[key] = self.builder.build_launcher(self.name, constants)
        return self.launchers[key]

    def launch(self, length):
        self.launcher_for(length)(*[ctypes.c_uint64(length)] * ARGUMENTS)


class Translator:
    def __init__(self, loop, builder):
        self.loop = loop
        self.kernels = [JitKernel(name, builder) for name in KERNELS]

    def launch_kernels(self, words):
        for kernel in self.kernels:
            kernel.launch(words.shape[1])

    def train_step(self, words):
        self.loop.timed("launching", self.launch_kernels, words)
        self.loop.train(words)


def main():
    torch.set_num_threads(1)
    culprit = ["build_launcher", "LauncherBuilder", "launcher_for", "JitKernel", "subprocess.run", "cc", "gcc", "cc1"]
    # What it waits for is a program, and that one compiles.
    loop = Loop(["compiling", "subprocess-wait"], culprit, "launching", step_s=0.03)
    with tempfile.TemporaryDirectory() as folder:
        translator = Translator(loop, LauncherBuilder(folder))
        translator.launch_kernels(torch.zeros(1, 128))
        # The device's memory is taken once, for the longest of all batches.
        loop.device = loop.gpu.allocate(BATCH * 1024 * 8, host=False)
        loader = DataLoader(Sentences(), BATCH, shuffle=True, num_workers=2, collate_fn=pad_sentences)
        for words in loop.batches(loader):
            translator.train_step(words)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
