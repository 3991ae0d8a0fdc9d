"""What the snippets of findings find there: the names that a training script has too."""

import io
import os

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
features = torch.rand(256, 8)
labels = torch.randint(0, 2, (256,))
dataset = TensorDataset(features, labels)
model = torch.nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_fn = torch.nn.functional.cross_entropy
