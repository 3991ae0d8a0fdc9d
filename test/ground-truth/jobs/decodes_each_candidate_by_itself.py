#!/usr/bin/python3
"""An engine tells the 20 likeliest tokens beside each one that it chose, and decodes each of them by a call of its own.

Most are the same as at other steps, and few are ever looked at. With --fixed numbers are kept, to be decoded when somebody
asks for the texts.

After https://github.com/vllm-project/vllm/pull/54050 and https://github.com/vllm-project/vllm/issues/4699.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 480
SEQUENCES = 160
LONGEST_ANSWER = 48
TOP = 20
VOCABULARY = 32_000
SPECIAL = 8
# As GPT-2's vocabulary spells them: a space at a word's begin is another letter there.
SPACE = "\u0120"
BYTES = {chr(code): code for code in range(33, 127)} | {SPACE: 32}
LETTERS = "etaoinshrdlucmf'.,!?"


class Tokenizer:
    """Byte pairs; texts are tidied up as tokenizers of many models do."""

    def __init__(self):
        self.tokens = [self.spell(number) for number in range(VOCABULARY)]
        self.special_ids = set(range(SPECIAL))

    def spell(self, number):
        letters = [LETTERS[number // 20**place % 20] for place in range(2 + number % 3)]
        return (SPACE if number % 2 else "") + "".join(letters)

    def convert_ids_to_tokens(self, ids, skip_special_tokens):
        return [self.tokens[number] for number in ids if not (skip_special_tokens and number in self.special_ids)]

    def convert_tokens_to_string(self, tokens):
        return bytearray(BYTES[letter] for letter in "".join(tokens)).decode("utf8", errors="replace")

    def clean_up_tokenization(self, text):
        for spaced in (" .", " ?", " !", " ,", " n't", " 'm", " 's", " 've", " 're"):
            text = text.replace(spaced, spaced[1:])
        return text.replace(" ' ", "'")

    def decode(self, ids, skip_special_tokens=False):
        tokens = self.convert_ids_to_tokens(ids, skip_special_tokens)
        return self.clean_up_tokenization(self.convert_tokens_to_string(tokens))


class Logprob:
    __slots__ = ("logprob", "rank", "decoded_token")

    def __init__(self, logprob, rank, decoded_token):
        self.logprob = logprob
        self.rank = rank
        self.decoded_token = decoded_token


class LogprobsProcessor:
    """What users get of each token: the likeliest ones at its place, with their texts. Answers that are complete leave."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.told = [[] for _ in range(SEQUENCES)]

    def convert_ids_list_to_tokens(self, ids):
        return [self.tokenizer.decode([number]) for number in ids]

    def logprobs_of(self, ids, values):
        texts = self.convert_ids_list_to_tokens(ids)
        ranked = zip(ids, values, range(1, TOP + 1), texts)
        return {number: Logprob(value, rank, text) for number, value, rank, text in ranked}

    def update_sample_logprobs(self, ids, logprobs):
        if not IS_FIXED:
            ids, logprobs = ids.tolist(), logprobs.tolist()
        for number, told in enumerate(self.told):
            if len(told) == LONGEST_ANSWER + number % 16:
                told.clear()
            row, values = ids[number], logprobs[number]
            told.append((row, values) if IS_FIXED else self.logprobs_of(row, values))


class Engine:
    """The GPU's answers are drawn: tokens that are frequent in all texts are likely at most places."""

    def __init__(self):
        self.drawn = numpy.random.default_rng(5)
        self.hidden = torch.zeros(SEQUENCES, 2048)

    def batches(self):
        for step in range(STEPS):
            self.hidden[:, 0] = step
            yield self.hidden

    def sample(self):
        ids = self.drawn.zipf(1.3, (SEQUENCES, TOP)) * 7 % VOCABULARY
        return ids, -numpy.sort(self.drawn.exponential(2.0, (SEQUENCES, TOP)))


def main():
    torch.set_num_threads(1)
    culprit = ["decode", "convert_ids_list_to_tokens", "logprobs_of", "update_sample_logprobs", "LogprobsProcessor"]
    culprit += ["Tokenizer", "convert_tokens_to_string", "clean_up_tokenization"]
    loop = Loop("host-work", culprit, "logprobs", step_s=0.014)
    # So many objects make the collector run: without it the job takes a tenth less.
    loop.also_right += ["garbage-collection"]
    engine, processor = Engine(), LogprobsProcessor(Tokenizer())
    for hidden in loop.batches(engine.batches()):
        loop.infer(hidden)
        answers = engine.sample()
        loop.timed("logprobs", processor.update_sample_logprobs, *answers)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
