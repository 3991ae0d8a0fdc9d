#!/usr/bin/python3
"""Two causes: a worker renders a whole chat twice to find each turn, and all parameters are counted at each step.

With --fixed a turn is rendered once, by itself, and the parameters are counted before the first step.

After https://github.com/axolotl-ai-cloud/axolotl/issues/2396 and https://github.com/huggingface/transformers/pull/6768.
"""

import os
import random
import re
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch import nn
from torch.utils.data import Dataset
from trainer import Trainer

BATCHES = 110
BATCH = 20
CHATS = 48
TURNS = 22
WORDS_A_TURN = 40
LENGTH = 1024
LAYERS = 18
EXPERTS = 128
IGNORED = -100
HEADER_TOKENS = 3
FOOTER_TOKENS = 2
DUMMY = "dummy"
PIECES = re.compile(r"<\|\w+\|>|\n|\w+|[^\w\s]+")


class Tokenizer:
    def __init__(self):
        self.numbers = {}

    def encode(self, text):
        return [self.numbers.setdefault(piece, len(self.numbers)) for piece in PIECES.findall(text)]

    def render_turn(self, turn):
        return f"<|im_start|>{turn['role']}\n{turn['content'].strip()}<|im_end|>\n"

    def apply_chat_template(self, turns):
        return self.encode("".join(self.render_turn(turn) for turn in turns))


class ChatTemplateStrategy:
    """Tokens of a chat, and labels of what its assistant says."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def find_turn(self, turns, index):
        """Where the turn's content begins and ends: up to where the chat reads as it does with something else there."""
        other = {**turns[index], "content": DUMMY}
        full = self.tokenizer.apply_chat_template(turns)
        dummy = self.tokenizer.apply_chat_template([*turns[:index], other, *turns[index + 1 :]])
        begin = next(at for at, (one, two) in enumerate(zip(full, dummy)) if one != two)
        end = next(at for at, (one, two) in enumerate(zip(reversed(full), reversed(dummy))) if one != two)
        return begin, len(full) - end

    def tokenize_by_turns(self, turns):
        ids, labels = [], []
        for turn in turns:
            added = self.tokenizer.encode(self.tokenizer.render_turn(turn))
            begin, end = HEADER_TOKENS - len(added), -FOOTER_TOKENS
            ids += added
            labels += [IGNORED] * len(added)
            if turn["role"] == "assistant":
                labels[begin:end] = added[begin:end]
        return ids, labels

    def tokenize_prompt(self, turns):
        ids = self.tokenizer.apply_chat_template(turns)
        labels = [IGNORED] * len(ids)
        for index, turn in enumerate(turns):
            begin, end = self.find_turn(turns, index)
            if turn["role"] == "assistant":
                labels[begin:end] = ids[begin:end]
        return ids, labels


class Chats(Dataset):
    def __init__(self):
        chosen = random.Random(23)
        words = ["".join(chosen.choices("aeioulmnrst", k=6)) for _ in range(3000)]
        self.chats = [self.draw_chat(chosen, words) for _ in range(CHATS)]
        self.strategy = ChatTemplateStrategy(Tokenizer())

    def draw_chat(self, chosen, words):
        roles = ["user", "assistant"] * (TURNS // 2)
        return [{"role": role, "content": " ".join(chosen.choices(words, k=WORDS_A_TURN))} for role in roles]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        turns = self.chats[index % CHATS]
        tokenize = self.strategy.tokenize_by_turns if IS_FIXED else self.strategy.tokenize_prompt
        ids, labels = (numbers[:LENGTH] + [0] * (LENGTH - len(numbers)) for numbers in tokenize(turns))
        return torch.tensor([ids, labels])


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False, device="meta")
        self.down = nn.Linear(2 * width, width, bias=False, device="meta")


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width, device="meta")
        self.attention = nn.Linear(width, 4 * width, bias=False, device="meta")
        self.router = nn.Linear(width, EXPERTS, bias=False, device="meta")
        self.experts = nn.ModuleList(Expert(width) for _ in range(EXPERTS))


class MixtureOfExperts(nn.Module):
    """Its weights are on the GPU."""

    def __init__(self, width=512):
        super().__init__()
        self.embedding = nn.Embedding(32_000, width, device="meta")
        self.layers = nn.ModuleList(Layer(width) for _ in range(LAYERS))
        self.head = nn.Linear(width, 32_000, bias=False, device="meta")

    def num_parameters(self, exclude_embeddings=False):
        if not exclude_embeddings:
            return sum(parameter.numel() for parameter in self.parameters())
        embeddings = [f"{name}.weight" for name, module in self.named_modules() if isinstance(module, nn.Embedding)]
        kept = [parameter for name, parameter in self.named_parameters() if name not in embeddings]
        return sum(parameter.numel() for parameter in kept)

    def floating_point_ops(self, tokens):
        return 6 * tokens * self.num_parameters(exclude_embeddings=True)


class CountFlops:
    part = "flops"

    def __init__(self, model):
        self.model = model
        self.for_a_token = model.floating_point_ops(1)
        self.total = 0

    def after_step(self, trainer):
        tokens = BATCH * LENGTH
        self.total += tokens * self.for_a_token if IS_FIXED else self.model.floating_point_ops(tokens)


class ChatTrainer(Trainer):
    def train_step(self, batch):
        super().train_step(batch.view(BATCH, -1))


def main():
    culprit = ["find_turn", "apply_chat_template", "tokenize_prompt", "Tokenizer.encode"]
    loop = Loop("slow-getitem", culprit, verdicts=["input-bound", "host-bound"], step_s=0.044)
    loop.also(["host-work", "host-metrics"], ["num_parameters", "floating_point_ops", "CountFlops"], "flops")
    # Two workers and the loop have more to do than two CPUs can.
    loop.also_right += ["cpu-wait"]
    ChatTrainer(loop, loader_of(Chats(), BATCH, 2), [CountFlops(MixtureOfExperts())]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
