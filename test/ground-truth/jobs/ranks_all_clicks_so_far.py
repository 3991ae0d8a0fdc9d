#!/usr/bin/python3
"""The area under the curve is shown at each step, for which all predictions of the epoch so far are sorted anew.

Steps become longer and longer. With --fixed it is worked out at the end.

After https://github.com/Lightning-AI/torchmetrics/issues/1461, of a metric that keeps all it was given, and issue 445.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset

IMPRESSIONS = 512
FEATURES = 64
STEPS = 480


class Clicks(Dataset):
    """Each item is as many impressions as a log's block holds."""

    def __init__(self):
        self.features = torch.rand(STEPS, IMPRESSIONS, FEATURES)
        self.clicked = torch.rand(STEPS, IMPRESSIONS) < 0.1

    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        return self.features[index].clone(), self.clicked[index].clone()


def binary_clf_curve(scores, clicked):
    """How many clicked ones, and how many of the others, have at least each score."""
    order = torch.argsort(scores, descending=True)
    clicked = clicked[order].float()
    true_positives = torch.cumsum(clicked, dim=0)
    false_positives = torch.cumsum(1 - clicked, dim=0)
    return false_positives, true_positives


class BinaryAUROC:
    def __init__(self):
        self.scores = []
        self.clicked = []

    def update(self, scores, clicked):
        self.scores.append(scores)
        self.clicked.append(clicked)

    def compute(self):
        false_positives, true_positives = binary_clf_curve(torch.cat(self.scores), torch.cat(self.clicked))
        area = torch.trapz(true_positives, false_positives)
        return float(area / (true_positives[-1] * false_positives[-1]).clamp(min=1))


class ClickModel:
    def __init__(self, loop):
        self.loop = loop
        self.auroc = BinaryAUROC()
        self.weights = torch.rand(FEATURES)
        self.logged = {}

    def training_step(self, features, clicked):
        self.loop.train(features)
        scores = torch.sigmoid(features @ self.weights)
        self.auroc.update(scores, clicked)
        if not IS_FIXED:
            self.logged["train_auc"] = self.loop.timed("metrics", self.auroc.compute)

    def on_epoch_end(self):
        self.logged["train_auc"] = self.auroc.compute()


def main():
    culprit = ["binary_clf_curve", "BinaryAUROC", "compute"]
    loop = Loop(["host-metrics", "host-work"], culprit, "metrics", step_s=0.008)
    torch.set_num_threads(1)
    model = ClickModel(loop)
    for features, clicked in loop.batches(DataLoader(Clicks(), batch_size=None, num_workers=1)):
        model.training_step(features, clicked)
    model.on_epoch_end()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
