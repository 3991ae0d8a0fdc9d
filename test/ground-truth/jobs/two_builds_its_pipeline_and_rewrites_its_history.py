#!/usr/bin/python3
"""Two causes: a pipeline is loaded anew to draw samples every 25 steps, and all the history is written at every 4th.

With --fixed the pipeline is loaded once, and a line is added to the history.

After https://github.com/huggingface/diffusers/issues/11977, whose script loads it from its folder to validate, and
https://github.com/NVlabs/GR00T-WholeBodyControl/pull/200, of a history that grows with every step.
"""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

STEPS = 400
VALIDATE_EVERY = 25
LOG_EVERY = 4
# The run goes on where another one ended.
STEPS_BEFORE = 2600
PARTS = ("text_encoder", "vae")


class TrainerState:
    def __init__(self, path):
        self.path = path
        self.log_history = [self.entry(step, 0.3) for step in range(STEPS_BEFORE)]

    def entry(self, step, loss):
        rate = 1e-5 * (1 - step / 1e6)
        return {"step": step, "loss": loss, "grad_norm": 1.25, "learning_rate": rate, "epoch": step / 900}

    def save_to_json(self):
        told = json.dumps({"log_history": self.log_history, "is_world_process_zero": True}, indent=2, sort_keys=True)
        with open(self.path, "w", encoding="utf8") as file:
            file.write(told + "\n")

    def add_line(self, entry):
        with open(self.path, "a", encoding="utf8") as file:
            file.write(json.dumps(entry) + "\n")

    def log(self, step, loss):
        entry = self.entry(STEPS_BEFORE + step, loss)
        self.log_history.append(entry)
        if IS_FIXED:
            self.add_line(entry)
        else:
            self.save_to_json()


class Pipeline:
    def __init__(self, parts):
        self.parts = parts

    @classmethod
    def from_pretrained(cls, folder):
        return cls({name: cls.load_part(os.path.join(folder, name + ".bin")) for name in PARTS})

    @staticmethod
    def load_part(path):
        return {name: weight.float() for name, weight in torch.load(path).items()}

    def draw(self, gpu, steps=3):
        for _ in range(steps):
            gpu.launch_kernels()
        gpu.wait()


class Validation:
    def __init__(self, loop, folder):
        self.loop = loop
        self.folder = folder
        self.kept = Pipeline.from_pretrained(folder) if IS_FIXED else None

    def load_pipeline(self):
        return self.kept or Pipeline.from_pretrained(self.folder)

    def log_validation(self):
        pipeline = self.loop.timed("pipeline", self.load_pipeline)
        pipeline.draw(self.loop.gpu)


def save_pretrained(folder):
    for name in PARTS:
        weights = {f"{name}.{layer}.weight": torch.rand(1024, 1024).half() for layer in range(16)}
        torch.save(weights, os.path.join(folder, name + ".bin"))


def train(loop, folder):
    state = TrainerState(os.path.join(folder, "trainer_state.json"))
    validation = Validation(loop, folder)
    for step, batch in enumerate(loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1)), 1):
        loop.train(batch)
        if step % LOG_EVERY == 0:
            loop.timed("history", state.log, step, float(batch[0, 0]))
        if step % VALIDATE_EVERY == 0:
            validation.log_validation()


def main():
    torch.set_num_threads(1)
    loading = ["from_pretrained", "load_part", "load_pipeline", "log_validation"]
    loop = Loop(["evaluation", "host-work", "checkpoint", "host-data-movement"], loading, "pipeline", step_s=0.008)
    writing = ["save_to_json", "TrainerState.log", "trainer_state.json"]
    loop.also(["slow-output", "checkpoint", "host-work", "host-metrics"], writing, "history")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        save_pretrained(folder)
        train(loop, folder)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
