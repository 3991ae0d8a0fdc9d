"""What the snippets of findings find there: the names that a training script has, as their placeholders, torch and DataLoader.

All else has to be imported by the snippet itself.
"""

import torch
from torch.utils.data import DataLoader


def names():
    """The placeholders, by name."""
    import contextlib
    import logging
    import os
    import sqlite3
    import threading
    import types

    import numpy as np
    from torch.utils.data import BatchSampler, Dataset, RandomSampler, TensorDataset, default_collate

    torch.manual_seed(1)
    if not torch.distributed.is_initialized():
        store = torch.distributed.HashStore()
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    features, labels = torch.rand(256, 8), torch.randint(0, 2, (256,))
    dataset = TensorDataset(features, labels)
    model = torch.nn.Linear(8, 2).to(device)
    images = torch.randint(0, 256, (64, 3, 8, 8), dtype=torch.uint8)
    os.makedirs("samples")
    files = [os.path.join("samples", f"{number}.npy") for number in range(40)]
    for number, file in enumerate(files):
        np.save(file, np.full(4, number, np.float32))
    table = np.random.default_rng(1).random((64, 4))
    np.save("table.npy", table)
    sampler = RandomSampler(dataset)

    class Rows(Dataset):
        """A dataset that a trace knows by its class."""

        def __init__(self, *_):
            pass

        def __len__(self):
            return len(dataset)

        def __getitem__(self, index):
            return dataset[index]

    def step(batch, *_):
        inputs = torch.as_tensor(batch[0] if isinstance(batch, (list, tuple)) else batch)
        return model(inputs.to(device)).mean() if inputs.shape[-1:] == (8,) else inputs.sum()

    placeholders = dict(
        YourDataset=Rows,
        answer_of=same,
        array=lambda sample: sample[0].tolist(),
        batch_sampler=BatchSampler(sampler, 32, drop_last=False),
        batch_size=32,
        batches=[features[:rows] for rows in (5, 17, 30, 9)],
        build=lambda size: lambda batch: batch[:size].sum(1),
        byte_images=TensorDataset(images, torch.arange(64)),
        collate=default_collate,
        collate_fn=default_collate,
        command=["true"],
        connection=types.SimpleNamespace(recv=lambda: "read", send=len, send_bytes=len),
        database="losses.db",
        dataset=dataset,
        device=device,
        epochs=2,
        eval_loader=DataLoader(dataset, batch_size=32),
        evaluate=length,
        every=4,
        example=features[:16],
        features=features,
        fetch_all=lambda keys: [torch.as_tensor(np.load(key)) for key in keys],
        fetch_one=lambda key: torch.as_tensor(np.load(key)),
        figure=length,
        files=files,
        float_images=TensorDataset(images.float() / 255, torch.arange(64)),
        folder="samples",
        function=length,
        helper=time_flies,
        hunt_begin=time_flies,
        hunt_look=time_flies,
        images=images,
        inner_dataset=dataset,
        inputs=files,
        inputs_of=same,
        insert="INSERT INTO losses VALUES (?, ?)",
        keeper=drain,
        labels=labels,
        lines=["a line"] * 3,
        loader=DataLoader(dataset, batch_size=32),
        lists=features.tolist(),
        local_folder="local",
        lock=threading.Lock(),
        locked=same,
        log=logging.getLogger("train"),
        make=same,
        maker=length,
        mean=0.5,
        metric=lambda outputs, targets: (outputs.argmax(1) == targets).float().mean(),
        metrics={"loss": 0.5, "grad_norm": 1.0},
        model=model,
        num_workers=1,
        numbers=[0.1, 0.2, 0.3],
        objects=[[{"corner": 0.0, "label": 1} for _ in range(20)] for _ in range(64)],
        open=np.load,
        options={},
        parts=list(features.split(32)),
        parts_of=lambda file: [file, file],
        path="table.npy",
        prepare=torch.as_tensor,
        prepare_all=lambda values: [torch.as_tensor(decode(value)) for value in values],
        raw_images=images,
        read=decode,
        request=same,
        rest=total,
        rest_of_item=same,
        row=lambda row: row.softmax(0),
        rows=types.SimpleNamespace(rays_of=decode),  # an object of the class Rows
        sample=made_sample,
        sampler=sampler,
        samples=[{"boxes": torch.rand(3 + index % 5, 4)} for index in range(64)],
        sequence=lambda sample: sample[0],
        shuffle=True,
        statement="INSERT INTO seen VALUES (?)",
        state={"model": model.state_dict(), "steps": [1, (2, "three")]},
        std=0.25,
        step=step,
        step_number=0,
        stream=list(features[:64]),
        table={number: row for number, row in enumerate(table)},
        tensors=list(features[:8]),
        tensors_by_name=model.state_dict,
        texts=["the quick brown fox jumps over the lazy dog"] * 16,
        tokenize=tokenize,
        transform=same,
        use_of=same,
        values=[0.5, 1.5],
        weights=[1.0 / (1 + index % 7) for index in range(256)],
        work=time_flies,
        write=write_text,
    )
    with contextlib.closing(sqlite3.connect("losses.db")) as database:
        database.execute("CREATE TABLE losses (step, loss)")
        database.execute("CREATE TABLE seen (row)")
    named = {name if name == "YourDataset" else f"your_{name}": value for name, value in placeholders.items()}
    return {**named, "Rows": Rows}


def same(value, *_):
    return value


def length(value, *_):
    return len(str(value))


def time_flies():
    return sum(range(1000))


def drain(results):
    while results.get() is not None:
        pass


def write_text(values, path):
    with open(path, "w") as file:
        print(values, file=file)


def total(samples, made):
    return torch.stack([torch.as_tensor(each).float().sum() for each in made])


def decode(file):
    import numpy

    return numpy.load(file) if isinstance(file, str) else file


def tokenize(text):
    return [len(word) for word in str(text).split()]


def made_sample(value):
    return len(value) if isinstance(value, (bytes, list)) else torch.as_tensor(value)


globals().update(names())
# Functions of the job that the traces of the examples name. Processes of a pool find them here.
answer = attend = compare = compress = evaluate = fill = keep = look_up = rank_all = reweight = take = length
ask = decode_batch = merge_boxes = ready = round_up = same
save = write_text
