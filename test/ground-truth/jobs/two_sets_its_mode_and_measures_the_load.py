#!/usr/bin/python3
"""Two causes: each frame sets all modules of a detector to evaluation again, and every 16th measures the CPUs' load for 0.1 s.

The function that measures sleeps meanwhile. With --fixed the mode is set once, and the load is that since the last time.

After https://github.com/roboflow/rf-detr/pull/1419 and https://github.com/giampaolo/psutil/issues/463.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import psutil
import torch
from loop import IS_FIXED, Items, Loop, loader_of

FRAMES = 520
EVERY = 16
LAYERS = 90
MEASURED_S = 0.1


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("query", "key", "value", "out"):
            setattr(self, name, torch.nn.Linear(4, 4))
        self.norm = torch.nn.LayerNorm(4)
        self.dropout = torch.nn.Dropout(0.1)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.cross_attention = Attention()
        feed = [torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 4), torch.nn.LayerNorm(4)]
        self.feed_forward = torch.nn.Sequential(*feed)


class Detector:
    def __init__(self, loop):
        self.loop = loop
        self.model = torch.nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.enter_eval_mode()

    def enter_eval_mode(self):
        self.model.eval()

    def predict(self, frame):
        if not IS_FIXED:
            self.loop.timed("mode", self.enter_eval_mode)
        self.loop.infer(frame)
        return [(float(row[0]), float(row[1])) for row in frame]


class Overlay:
    """What is written over every picture of the video."""

    def __init__(self):
        self.load = 0.0

    def measure_load(self):
        self.load = psutil.cpu_percent(interval=None if IS_FIXED else MEASURED_S)

    def text(self, found):
        return f"{len(found)} found, CPU {self.load:.0f} %"


def main():
    loop = Loop(["host-work", "host-metrics"], ["enter_eval_mode", "Module.train", "module.py"], "mode", step_s=0.008)
    loop.also("sleep", ["measure_load", "cpu_percent"], "load")
    detector, overlay, lines = Detector(loop), Overlay(), []
    for number, frame in enumerate(loop.batches(loader_of(Items(4 * FRAMES, 4096), 4, 1))):
        found = detector.predict(frame)
        if number % EVERY == EVERY - 1:
            loop.timed("load", overlay.measure_load)
        lines.append(overlay.text(found))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
