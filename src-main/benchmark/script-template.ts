/**
 * The benchmark as Python, 3.8 and later: only the standard library and PyTorch. `@NAME@` is filled in
 * by benchmark-script.ts with JSON, which Python reads as its own literals where it is numbers only.
 */
export const scriptTemplate = String.raw`#!/usr/bin/env python3
"""How fast is this DataLoader? Made by Stalltrace from a recording of the job.

    python3 stalltrace-benchmark.py MODULE:FUNCTION [options]

FUNCTION takes nothing and returns the Dataset, or a dict of arguments for DataLoader ("dataset" among
them). It is looked for in the current folder first. Each setting is measured in whole passes after
one that is not counted, in turn; the table and the JSON give the middle, lowest and highest pass.
A pass is shorter than an epoch, so that starting workers weighs more than in the job: see --batches.
"synthetic" is one batch used again and again: the loop without loading. Where that is no faster than
the real loader, loading is not what the job waits for: give the training step with --step.
"""

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import sys
import time

WORKERS = @WORKERS@  # from the recording: its workers, and the CPUs it may use
RECORDED_WORKERS = @RECORDED@
MAX_ERROR = 2000


class OutOfTime(Exception):
    pass


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", metavar="MODULE:FUNCTION")
    parser.add_argument("--step", metavar="MODULE:FUNCTION", help="called with each batch")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--batches", type=int, default=30, help="of one pass, at most")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", help="numbers to try, %s unless told" % WORKERS)
    parser.add_argument("--time-limit", type=float, default=600, help="seconds for all")
    parser.add_argument("--out", default="stalltrace-benchmark.json")
    arguments = parser.parse_args()
    for name in ("batch_size", "batches", "repeats", "time_limit"):
        if getattr(arguments, name) <= 0:
            parser.error("--%s must be above 0" % name.replace("_", "-"))
    if arguments.workers is None:
        return arguments
    try:
        arguments.workers = sorted({int(number) for number in arguments.workers.split(",")})
    except ValueError:
        parser.error("--workers takes numbers with commas between")
    if arguments.workers[0] < 0:
        parser.error("--workers takes no number below 0")
    return arguments


def workers_to_try(arguments, current):
    if arguments.workers is not None:
        return arguments.workers
    return sorted(set(WORKERS + ([] if current is None else [current["workers"]])))


def load(path):
    """What MODULE:FUNCTION names; ends the program with a sentence where there is no such thing."""
    module_name, colon, name = path.partition(":")
    if not module_name or not colon or not name:
        sys.exit("%r is not MODULE:FUNCTION, for example train:make_dataset" % path)
    sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        sys.exit("cannot import %s: %s (run this in the folder of your code)" % (module_name, error))
    function = getattr(module, name, None)
    if not callable(function):
        sys.exit("%s has no function %s" % (module_name, name))
    return function


def loader_arguments(function, batch_size):
    made = function()
    arguments = dict(made) if isinstance(made, dict) else {"dataset": made}
    if "dataset" not in arguments:
        sys.exit("the dict has no \"dataset\": return a Dataset, or a dict of arguments for DataLoader")
    if not any(key in arguments for key in ("batch_size", "batch_sampler")):
        arguments["batch_size"] = batch_size
    return arguments


def take_current(arguments):
    """The setting the job has now: what the dict says, else the recorded number of workers alone."""
    taken = {
        key: arguments.pop(key, None)
        for key in ("num_workers", "pin_memory", "persistent_workers", "timeout")
    }
    if taken["num_workers"] is not None:
        return {
            "workers": int(taken["num_workers"]),
            "pinMemory": bool(taken["pin_memory"]),
            "persistentWorkers": bool(taken["persistent_workers"]),
        }
    return None if RECORDED_WORKERS is None else {"workers": RECORDED_WORKERS}


def without_workers(arguments):
    """DataLoader refuses some arguments where there are no workers."""
    workers_only = ("prefetch_factor", "multiprocessing_context")
    return {key: value for key, value in arguments.items() if key not in workers_only}


def tensors_of(batch):
    import torch

    if isinstance(batch, torch.Tensor):
        return [batch]
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        return [tensor for part in batch for tensor in tensors_of(part)]
    return []


def size_of(batch):
    """Samples in a batch: the first dimension of its first tensor."""
    for tensor in tensors_of(batch):
        if tensor.dim() > 0:
            return tensor.shape[0]
    return len(batch) if hasattr(batch, "__len__") else 1


def to_device(batch, device, pinned):
    import torch

    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=pinned)
    if isinstance(batch, dict):
        return {key: to_device(part, device, pinned) for key, part in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_device(part, device, pinned) for part in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(to_device(part, device, pinned) for part in batch)
    return batch


class Benchmark:
    def __init__(self, arguments, make_dataset, step):
        import torch
        import torch.utils.data

        self.torch = torch
        self.arguments = arguments
        self.step = step
        self.deadline = time.monotonic() + arguments.time_limit
        self.loader_arguments = loader_arguments(make_dataset, arguments.batch_size)
        self.current = take_current(self.loader_arguments)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def one_pass(self, batches, pinned):
        """Samples a second, and batches, of one pass; includes starting workers where they start."""
        samples = count = 0
        start = time.perf_counter()
        for batch in batches:
            samples += size_of(batch)
            count += 1
            moved = to_device(batch, self.device, pinned)
            if self.step is not None:
                self.step(moved)
            if count >= self.arguments.batches:
                break
            if time.monotonic() > self.deadline:
                raise OutOfTime
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()
        if count == 0:
            raise ValueError("the loader gave no batch")
        return samples / max(time.perf_counter() - start, 1e-9), count

    def measure(self, make_batches, pinned):
        self.one_pass(make_batches(), pinned)  # warm-up
        passes = [self.one_pass(make_batches(), pinned) for _ in range(self.arguments.repeats)]
        rates = [rate for rate, _ in passes]
        return {
            "medianPerSecond": statistics.median(rates),
            "minPerSecond": min(rates),
            "maxPerSecond": max(rates),
            "repeats": len(rates),
            "batches": min(count for _, count in passes),
        }

    def synthetic(self):
        loader = self.torch.utils.data.DataLoader(**without_workers(self.loader_arguments))
        batch = next(iter(loader))
        return self.measure(lambda: (batch for _ in range(self.arguments.batches)), False)

    def real(self, workers, pin_memory, persistent_workers):
        options = dict(self.loader_arguments)
        if workers > 0:
            left = max(1.0, self.deadline - time.monotonic())
            options.update(persistent_workers=persistent_workers, timeout=left)
        else:
            options = without_workers(options)
        options.update(num_workers=workers, pin_memory=pin_memory)
        loader = self.torch.utils.data.DataLoader(**options)
        return self.measure(lambda: loader, pin_memory)


def settings(workers, cuda):
    for count in workers:
        for pin_memory in (False, True) if cuda else (False,):
            for persistent in (False, True) if count > 0 else (False,):
                yield {"workers": count, "pinMemory": pin_memory, "persistentWorkers": persistent}


def run(benchmark):
    arguments = benchmark.arguments
    cuda = benchmark.device.type == "cuda"
    result = {
        "format": "stalltrace-benchmark",
        "version": 1,
        "dataset": arguments.dataset[:1000],
        "batchSize": int(benchmark.loader_arguments.get("batch_size") or arguments.batch_size),
        "cpus": usable_cpus(),
        "torch": str(benchmark.torch.__version__)[:100],
        "real": [],
        "failed": [],
        "leftOut": 0,
    }
    if benchmark.current is not None:
        result["current"] = benchmark.current
    if cuda:
        result["device"] = benchmark.torch.cuda.get_device_name()[:200]
    try:
        result["synthetic"] = benchmark.synthetic()
    except OutOfTime:
        sys.exit("not even one batch again and again fits the time limit: raise --time-limit")
    print_row("synthetic", result["synthetic"])
    for setting in settings(workers_to_try(arguments, benchmark.current), cuda):
        if time.monotonic() > benchmark.deadline:
            result["leftOut"] += 1
            continue
        try:
            figures = benchmark.real(
                setting["workers"], setting["pinMemory"], setting["persistentWorkers"]
            )
        except OutOfTime:
            result["leftOut"] += 1
        except Exception as error:  # one setting that fails must not end the others
            text = "%s: %s" % (type(error).__name__, error)
            result["failed"].append(dict(setting, error=text[:MAX_ERROR]))
            print("%-44s failed: %s" % (label(setting), text.splitlines()[0][:80]))
        else:
            result["real"].append(dict(setting, **figures))
            print_row(label(setting), figures)
    return result


def usable_cpus():
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 0


def label(setting):
    text = "num_workers=%d pin_memory=%s" % (setting["workers"], setting["pinMemory"])
    if setting["workers"] > 0:
        text += " persistent_workers=%s" % setting["persistentWorkers"]
    return text


def print_row(name, figures):
    print(
        "%-56s %12.1f %12.1f %12.1f"
        % (name, figures["medianPerSecond"], figures["minPerSecond"], figures["maxPerSecond"]),
        flush=True,
    )


def conclude(result):
    print()
    if result["leftOut"]:
        print("%d settings were left out: the time was up" % result["leftOut"])
    if not result["real"]:
        print("no setting of the real loader could be measured")
        return
    best = max(result["real"], key=lambda one: one["medianPerSecond"])
    print("best: %s, %.1f samples a second" % (label(best), best["medianPerSecond"]))
    now = measured_now(result)
    if now is not None:
        ratio = best["medianPerSecond"] / max(now["medianPerSecond"], 1e-9)
        print("as it is now, %s: 1/%.2f of that" % (label(now), ratio))
    reach = best["medianPerSecond"] / max(result["synthetic"]["medianPerSecond"], 1e-9)
    print("the loop without loading: %.2f times that" % (1 / max(reach, 1e-9)))


def measured_now(result):
    """The current setting as measured; the fastest that may be it, where only the workers are known."""
    current = result.get("current")
    if current is None:
        return None
    keys = ("workers", "pinMemory", "persistentWorkers") if current["workers"] else ("workers", "pinMemory")
    same = [
        one for one in result["real"] if all(one[key] == current.get(key, one[key]) for key in keys)
    ]
    return max(same, key=lambda one: one["medianPerSecond"], default=None)


def main():
    arguments = parse_arguments()
    if importlib.util.find_spec("torch") is None:
        sys.exit("there is no PyTorch here: run this with the Python of your job")
    make_dataset = load(arguments.dataset)
    step = load(arguments.step) if arguments.step else None
    benchmark = Benchmark(arguments, make_dataset, step)
    if benchmark.device.type == "cpu":
        print("no CUDA: batches stay on the host, pin_memory is not tried")
    print("%-56s %12s %12s %12s" % ("samples a second", "median", "lowest", "highest"))
    result = run(benchmark)
    conclude(result)
    with open(arguments.out, "w") as file:
        json.dump(result, file, indent=1)
    print("written to %s" % arguments.out)


if __name__ == "__main__":
    main()
`;
