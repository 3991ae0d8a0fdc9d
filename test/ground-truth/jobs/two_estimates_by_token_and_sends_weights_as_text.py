#!/usr/bin/python3
"""Two causes: advantages are worked out token by token for each rollout, and weights go to the rollout engine as JSON.

The engine is a process of the job's own, and reads what comes in a thread. With --fixed rewards are summed up from the
end at once, as nothing is discounted, and the engine shares the memory that weights are copied to.

After https://github.com/verl-project/verl/pull/2132 and https://github.com/sgl-project/sglang/pull/4848.
"""

import base64
import io
import json
import multiprocessing
import os
import sys

# A wait that spins would keep one of two CPUs from the engine.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

STEPS = 300
MINI_BATCHES = 4
SYNC_EVERY = 16
RESPONSES = 32
TOKENS = 1024
GAMMA = LAMBDA = 1.0
LAYERS = 12


class RolloutEngine:
    """Answers prompts with the weights that it was sent last."""

    def __init__(self, weights):
        self.weights = weights

    def load_weights(self, body):
        named_tensors = json.loads(body)["serialized_named_tensors"]
        for name, text in named_tensors.items():
            tensor = torch.load(io.BytesIO(base64.b64decode(text)))
            self.weights[name].copy_(tensor)

    def serve(self, requests):
        torch.set_num_threads(1)
        while body := requests.recv_bytes():
            requests.send(len(body))
            if body != b"shared":
                self.load_weights(body)


class WeightSync:
    def __init__(self, engine_weights, requests):
        self.engine_weights = engine_weights
        self.requests = requests

    def serialize(self, tensor):
        buffer = io.BytesIO()
        torch.save(tensor, buffer)
        return base64.b64encode(buffer.getvalue()).decode("utf-8")

    def post(self, body):
        self.requests.send_bytes(body)
        return self.requests.recv()

    def update_weights_from_tensor(self, weights):
        if IS_FIXED:
            for name, tensor in weights.items():
                self.engine_weights[name].copy_(tensor)
            return self.post(b"shared")
        named_tensors = {name: self.serialize(tensor) for name, tensor in weights.items()}
        return self.post(json.dumps({"serialized_named_tensors": named_tensors}).encode())


def compute_gae_advantage_return(rewards, values, mask):
    """Advantages and returns of each token of a response; those of padding are what follows it."""
    if IS_FIXED and GAMMA == LAMBDA == 1.0:
        returns = (rewards * mask).flip(1).cumsum(1).flip(1)
        return returns - values, returns
    next_values = torch.zeros(len(rewards))
    last = torch.zeros(len(rewards))
    reversed_advantages = []
    for token in reversed(range(TOKENS)):
        delta = rewards[:, token] + GAMMA * next_values - values[:, token]
        advantage = delta + GAMMA * LAMBDA * last
        next_values = values[:, token] * mask[:, token] + (1 - mask[:, token]) * next_values
        last = advantage * mask[:, token] + (1 - mask[:, token]) * last
        reversed_advantages.append(last)
    advantages = torch.stack(reversed_advantages[::-1], dim=1)
    return advantages + values, advantages


class PpoTrainer:
    def __init__(self, loop, sync):
        self.loop = loop
        self.sync = sync
        self.weights = model_weights()
        self.critic = torch.rand(RESPONSES, TOKENS)

    def make_experience(self):
        rewards = torch.zeros(RESPONSES, TOKENS)
        lengths = torch.randint(TOKENS // 2, TOKENS, (RESPONSES,))
        rewards[torch.arange(RESPONSES), lengths - 1] = torch.rand(RESPONSES)
        mask = (torch.arange(TOKENS) < lengths[:, None]).float()
        return compute_gae_advantage_return(rewards, self.critic, mask)

    def fit(self, loader):
        for step, batch in enumerate(self.loop.batches(loader)):
            if step % MINI_BATCHES == 0:
                advantages, _ = self.loop.timed("advantages", self.make_experience)
            rows = step % MINI_BATCHES * len(batch)
            self.loop.train(batch + advantages[rows : rows + len(batch)].mean())
            if step % SYNC_EVERY == SYNC_EVERY - 1:
                self.loop.timed("weights", self.sync.update_weights_from_tensor, self.weights)


def model_weights():
    drawn = torch.Generator().manual_seed(3)
    return {f"layers.{number}.mlp.weight": torch.rand(512, 1024, generator=drawn) for number in range(LAYERS)}


def main():
    torch.set_num_threads(1)
    engine_weights = {name: tensor.share_memory_() for name, tensor in model_weights().items()}
    requests, engine_end = multiprocessing.Pipe()
    engine = RolloutEngine(engine_weights)
    process = multiprocessing.Process(target=engine.serve, args=(engine_end,), name="engine", daemon=True)
    process.start()
    # The rollout has come, and its advantages are worked out before it is copied: that is preparing it as well.
    culprit = ["compute_gae_advantage_return", "make_experience"]
    loop = Loop(["host-work", "host-data-movement"], culprit, "advantages", step_s=0.016)
    culprit = ["serialize", "update_weights_from_tensor", "WeightSync", "post"]
    # Its own functions, and all that they do is to make bytes of tensors.
    loop.also(["packing", "host-work"], culprit, "weights")
    # The engine reads 34 MB from its pipe meanwhile, for which the loop waits 6 % of its time. The texts' memory is new
    # each time: where freed memory is kept (MALLOC_MMAP_THRESHOLD_) it runs 5 to 20 % shorter.
    loop.also_right += ["slow-writer", "slow-output", "allocator"]
    loader = loader_of(Items(RESPONSES // MINI_BATCHES * STEPS, 8192), RESPONSES // MINI_BATCHES, 0)
    PpoTrainer(loop, WeightSync(engine_weights, requests)).fit(loader)
    loop.report(sys.argv[1])
    process.terminate()


if __name__ == "__main__":
    main()
