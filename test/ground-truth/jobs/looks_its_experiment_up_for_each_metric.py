#!/usr/bin/python3
"""A logger asks for its experiment by name at each metric, for which the store reads the YAML of all that it has.

With --fixed the logger keeps what it was told first.

After https://github.com/Lightning-AI/pytorch-lightning/issues/3393.
"""

import os
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import yaml
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 300
LOG_EVERY = 3
EXPERIMENTS = 120


def write_yaml(folder, name, data):
    with open(os.path.join(folder, name), "w", encoding="utf8") as file:
        yaml.safe_dump(data, file)


def read_yaml(folder, name):
    with open(os.path.join(folder, name), encoding="utf8") as file:
        return yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class FileStore:
    """Experiments are folders, their runs folders in these, and each metric of a run is a file."""

    def __init__(self, root):
        self.root = root

    def create_experiment(self, number, name):
        folder = os.path.join(self.root, str(number))
        os.makedirs(folder)
        now = int(time.time() * 1000)
        times = {"creation_time": now, "last_update_time": now}
        state = {"artifact_location": f"file://{folder}", "lifecycle_stage": "active"}
        write_yaml(folder, "meta.yaml", {"experiment_id": str(number), "name": name, **state, **times})

    def create_run(self, experiment_id):
        run_id = uuid.uuid4().hex
        os.makedirs(os.path.join(self.root, experiment_id, run_id, "metrics"))
        return run_id

    def list_experiments(self):
        return [read_yaml(entry.path, "meta.yaml") for entry in os.scandir(self.root) if entry.is_dir()]

    def get_experiment_by_name(self, name):
        return next((one for one in self.list_experiments() if one["name"] == name), None)

    def log_metric(self, experiment_id, run_id, name, value, step):
        path = os.path.join(self.root, experiment_id, run_id, "metrics", name)
        with open(path, "a", encoding="utf8") as file:
            file.write(f"{int(time.time() * 1000)} {value} {step}\n")


class MLFlowLogger:
    def __init__(self, store, name):
        self.store = store
        self.name = name
        self.known_id = None
        self.run_id = store.create_run(self.experiment_id)

    @property
    def experiment_id(self):
        if self.known_id is None or not IS_FIXED:
            self.known_id = self.store.get_experiment_by_name(self.name)["experiment_id"]
        return self.known_id

    def log_metrics(self, metrics, step):
        for name, value in metrics.items():
            self.store.log_metric(self.experiment_id, self.run_id, name, value, step)


class LogMetrics:
    part = "logging"

    def __init__(self, logger):
        self.logger = logger

    def after_step(self, trainer):
        if trainer.step % LOG_EVERY == 0:
            rate = 1e-3 * 0.999**trainer.step
            losses = {"train_loss": trainer.loss, "click_loss": trainer.loss / 2, "basket_loss": trainer.loss / 3}
            metrics = {**losses, "learning_rate": rate, "samples": 16 * trainer.step}
            self.logger.log_metrics(metrics, trainer.step)


def main():
    culprit = ["get_experiment_by_name", "list_experiments", "read_yaml", "experiment_id", "log_metrics", "FileStore"]
    loop = Loop(["host-work", "host-metrics"], [*culprit, "meta.yaml"], "logging", step_s=0.02)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="mlruns-") as root:
        store = FileStore(root)
        for number in range(EXPERIMENTS):
            store.create_experiment(number, f"ranker-sweep-{number:03d}")
        logger = MLFlowLogger(store, f"ranker-sweep-{EXPERIMENTS - 1:03d}")
        Trainer(loop, loader_of(Items(16 * STEPS, 2048), 16, 1), [LogMetrics(logger)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
