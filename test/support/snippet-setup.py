"""What the snippets of findings find there: the names that a training script has too."""

import io
import os
import random
import types

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler, TensorDataset

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
features = torch.rand(256, 8)
labels = torch.randint(0, 2, (256,))
dataset = TensorDataset(features, labels)
model = torch.nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch_size = 32
num_workers = 1
weights = [1.0 / (1 + index % 7) for index in range(len(dataset))]
metrics = {"loss": 0.5, "grad_norm": 1.0}
step = 0
if not torch.distributed.is_initialized():
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
loss_fn = torch.nn.functional.cross_entropy

# Samples of several kinds: of unequal length, images, text, and one file for each.
ragged = [torch.rand(length) for length in range(1, 65)]
images = torch.randint(0, 256, (64, 3, 8, 8), dtype=torch.uint8)
boxes = [[{"corners": [0.0, 0.0, 1.0, 1.0], "label": 1} for _ in range(20)] for _ in range(64)]
scenes = [{"boxes": torch.rand(3 + index % 5, 4), "labels": torch.arange(3 + index % 5)} for index in range(64)]
texts = ["the quick brown fox jumps over the lazy dog"] * 16
table = np.random.default_rng(1).random((64, 4))
folder = "samples"
os.makedirs(folder)
for number in range(40):
    np.save(os.path.join(folder, f"{number}.npy"), np.full(4, number, np.float32))
files = sorted(os.path.join(folder, name) for name in os.listdir(folder))


def decode(file):
    return np.load(file)


def reweight(*values):
    return values


merge_boxes = reweight


def work():
    return sum(range(1000))


raw = texts


def tokenize(text):
    return [len(word) for word in text.split()]


# What a fix leaves to the job.
your_epochs = 2
your_sampler = torch.utils.data.RandomSampler(dataset)
your_batch_sampler = torch.utils.data.BatchSampler(your_sampler, batch_size, drop_last=False)
your_inputs = files
your_stream = [torch.rand(8) for _ in range(64)]
your_tensors = list(features)
your_lines = ["a line"] * 3
your_collate = your_prepare_all = your_use_of = compress = lambda values: values
your_prepare = decode
your_random_part = torch.as_tensor
your_rows = types.SimpleNamespace(rays_of=decode)
# To a process that answers whatever it is sent.
your_connection = types.SimpleNamespace(recv=lambda: "read", send=len, send_bytes=len)


def your_rest(samples, made):
    return torch.tensor([len(each) for each in made])


class Rows(TensorDataset):
    """A dataset that a trace knows by its class."""

    def __init__(self, *_):
        super().__init__(features, labels)


# What a trace does not know stands in the code as a placeholder.
your_objects, your_sequences, your_samples, your_raw_samples = boxes, ragged, scenes, raw
for known in "batch_size decode features files folder images labels loss_fn metrics model num_workers optimizer table texts tokenize weights work dataset".split():
    globals()[f"your_{known}"] = globals()[known]
