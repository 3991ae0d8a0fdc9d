#!/usr/bin/python3
"""Starts ranks as torchrun does: a process each with RANK, LOCAL_RANK and WORLD_SIZE in its environment.

Each rank has a training loader, made anew every epoch, and a validation loader beside it, and makes
CUDA calls off its main thread too: a thread named as autograd's launches kernels, another one copies
batches ahead. Writes the pids and tids it saw as JSON to --report.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import threading

TRAIN_WORKERS = 2
VALIDATION_WORKERS = 1
LAUNCHES = 40


def launch(options):
    ranks = []
    for rank in range(options.ranks):
        environment = {
            **os.environ,
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(options.ranks),
        }
        report = f"{options.report}.{rank}"
        command = [sys.executable, __file__, "--library", options.library, "--report", report]
        ranks.append((subprocess.Popen([*command, "--train"], env=environment), report))
    for process, _ in ranks:
        if process.wait() != 0:
            raise RuntimeError(f"rank {process.pid} failed")
    with open(options.report, "w", encoding="utf8") as file:
        json.dump({"pid": os.getpid(), "ranks": [read(report) for _, report in ranks]}, file)


def read(path):
    with open(path, encoding="utf8") as file:
        return json.load(file)


def on_thread(name, work):
    """Runs `work` on a thread of its own, named as the kernel sees it, and returns its tid."""
    tids = []

    def run():
        tids.append(threading.get_native_id())
        ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
        work()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return tids[0]


def train(options):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch
    from dataloader import ONE, Gpu, Rows, device_function
    from torch.utils.data import DataLoader

    torch.set_num_threads(1)
    gpu = Gpu(options.library)
    rows = Rows(argparse.Namespace(items=256, features=4096, item_cpu_us=200, item_sleep_us=0, read_file=""))
    size = 32 * 4096 * 4
    device = gpu.allocate(size, host=False)

    def workers_of(iterator):
        return [worker.pid for worker in iterator._workers]

    def step(batch):
        gpu.transfer_batch(device, ctypes.c_void_p(batch.data_ptr()), size)
        gpu.launch_kernels()
        gpu.wait()

    def backward():
        for _ in range(LAUNCHES):
            none = ctypes.c_size_t(0)
            gpu.check(gpu.cuda.cudaLaunchKernel(device_function, ONE, ONE, None, none, gpu.stream))

    validation = iter(DataLoader(rows, batch_size=32, num_workers=VALIDATION_WORKERS, persistent_workers=True))
    generations = {"validation": [workers_of(validation)], "train": []}
    autograd = []
    prefetch = []
    for _ in range(2):
        epoch = iter(DataLoader(rows, batch_size=32, num_workers=TRAIN_WORKERS))
        generations["train"].append(workers_of(epoch))
        for batch in epoch:
            step(batch)
            autograd.append(on_thread("pt_autograd_0", backward))
        prefetch.append(on_thread("prefetch", lambda: gpu.transfer_batch(device, ctypes.c_void_p(rows.data.data_ptr()), size)))
    for batch in validation:
        step(batch)
    with open(options.report, "w", encoding="utf8") as file:
        json.dump(
            {
                "pid": os.getpid(),
                "rank": int(os.environ["RANK"]),
                "autograd": autograd,
                "prefetch": prefetch,
                **generations,
            },
            file,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--train", action="store_true")
    arguments = parser.parse_args()
    if arguments.train:
        train(arguments)
    else:
        launch(arguments)
