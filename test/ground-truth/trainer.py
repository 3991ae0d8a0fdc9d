"""A small trainer with callbacks, as many projects have one of their own: each callback runs after every step."""


class Trainer:
    """A callback's `after_step(trainer)` is timed as its `part`."""

    def __init__(self, loop, loader, callbacks):
        self.loop = loop
        self.loader = loader
        self.callbacks = callbacks
        self.step = 0
        self.loss = 0.0

    def fit(self):
        for batch in self.loop.batches(self.loader):
            self.train_step(batch)

    def train_step(self, batch):
        self.loop.train(batch)
        self.step += 1
        self.loss = float(batch[0, 0])
        for callback in self.callbacks:
            self.loop.timed(callback.part, callback.after_step, self)
