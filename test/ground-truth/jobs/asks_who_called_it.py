#!/usr/bin/python3
"""A log line names the place in the code that logs it, for which each call looks up the source of every frame above it.

Frames of generated code, here those of a type checker, are looked for in all modules. With --fixed only one frame is looked at.

After https://github.com/mlcommons/logging/pull/18, which measured 50 ms and more for each call.
"""

import inspect
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 400


def get_caller(above):
    """The file and line, so many frames above."""
    if IS_FIXED:
        frame = sys._getframe(above)
        return frame.f_code.co_filename, frame.f_lineno
    frame = inspect.stack()[above]
    return frame.filename, frame.lineno


def typechecked(function):
    """Calls `function` from code that is generated for it, as libraries that check types do."""
    source = f"def {function.__name__}(*given, **named):\n    return function(*given, **named)\n"
    made = {"function": function}
    exec(compile(source, f"<typechecked {function.__qualname__}>", "exec"), made)
    return made[function.__name__]


class ComplianceLog:
    """Lines as a benchmark's rules want them, in a file that is buffered."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf8")

    @typechecked
    def event(self, key, value, metadata):
        path, line = get_caller(3)
        told = {"key": key, "value": value, "metadata": {"file": path, "lineno": line, **metadata}}
        self.file.write(":::LOG " + json.dumps(told) + "\n")


class LogStep:
    part = "logging"

    def __init__(self, log):
        self.log = log

    @typechecked
    def after_step(self, trainer):
        self.log.event("tracked_loss", trainer.loss, {"step": trainer.step})
        self.log.event("samples_count", trainer.step * 16, {"step": trainer.step})


class Benchmark(Trainer):
    @typechecked
    def train_step(self, batch):
        super().train_step(batch)


@typechecked
def run_benchmark(loop, log):
    Benchmark(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [LogStep(log)]).fit()


def main():
    ids = ["host-work", "host-metrics", "slow-output"]
    culprit = ["get_caller", "inspect.py", "getframeinfo", "ComplianceLog.event", "LogStep.after_step"]
    loop = Loop(ids, culprit, "logging", step_s=0.008)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        log = ComplianceLog(os.path.join(folder, "result.log"))
        run_benchmark(loop, log)
        log.file.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
