#!/usr/bin/python3
"""Two causes: for each question a whole contract is cut into words character by character, and answers are ranked often.

The loader has no workers. Every 10 steps each pair of 20 beginnings and 20 ends becomes an object, for every window of the
held-out contracts. With --fixed each contract was cut beforehand, and NumPy adds up the pairs of a window.

After https://github.com/huggingface/transformers/pull/31190, https://github.com/TheAtticusProject/cuad/issues/12 and
https://github.com/huggingface/transformers/issues/2829.
"""

import collections
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

BATCHES = 110
BATCH = 16
CONTRACTS = 30
WORDS_A_CONTRACT = 2600
QUESTIONS_A_CONTRACT = 41
WINDOW = 384
EVALUATE_EVERY = 10
HELD_OUT_WINDOWS = 250
N_BEST = 20
LONGEST_ANSWER = 60
PrelimPrediction = collections.namedtuple("PrelimPrediction", "window start_index end_index start_logit end_logit")
Question = collections.namedtuple("Question", "number contract answer_start answer_text")


def is_whitespace(character):
    return character in " \t\r\n" or ord(character) == 0x202F


def split_on_whitespace(context):
    """The words of `context`, and the word that each of its characters belongs to."""
    words = []
    char_to_word_offset = []
    previous_is_whitespace = True
    for character in context:
        if is_whitespace(character):
            previous_is_whitespace = True
        else:
            if previous_is_whitespace:
                words.append(character)
            else:
                words[-1] += character
            previous_is_whitespace = False
        char_to_word_offset.append(len(words) - 1)
    return words, char_to_word_offset


class SquadExample:
    """A question, the words of its context, and between which of them its answer lies."""

    def __init__(self, question, context, split):
        self.words, char_to_word_offset = split(context)
        last = question.answer_start + len(question.answer_text) - 1
        self.start_position = char_to_word_offset[question.answer_start]
        self.end_position = char_to_word_offset[last]


class SquadProcessor:
    def __init__(self, contracts):
        self.contracts = contracts
        self.kept = {context: split_on_whitespace(context) for context in contracts if IS_FIXED}

    def example_of(self, question):
        split = self.kept.get if IS_FIXED else split_on_whitespace
        return SquadExample(question, self.contracts[question.contract], split)


class ContractQuestions(Dataset):
    """A window of the contract around each question's answer, as numbers."""

    def __init__(self):
        self.chosen = random.Random(31)
        self.vocabulary = ["".join(self.chosen.choices("aeinrstlodcup", k=self.chosen.randint(2, 9))) for _ in range(6000)]
        self.numbers = {word: number for number, word in enumerate(self.vocabulary, 2)}
        contracts = [" ".join(self.chosen.choices(self.vocabulary, k=WORDS_A_CONTRACT)) for _ in range(CONTRACTS)]
        self.questions = [self.ask(number, contracts) for number in range(CONTRACTS * QUESTIONS_A_CONTRACT)]
        self.chosen.shuffle(self.questions)
        self.processor = SquadProcessor(contracts)

    def ask(self, number, contracts):
        context = contracts[number % CONTRACTS]
        begin = context.index(" ", self.chosen.randrange(len(context) // 2)) + 1
        end = context.index(" ", begin + self.chosen.randint(20, 200))
        return Question(number, number % CONTRACTS, begin, context[begin:end])

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        example = self.processor.example_of(self.questions[index % len(self.questions)])
        first = max(0, example.start_position - WINDOW // 2)
        numbers = [self.numbers[word] for word in example.words[first : first + WINDOW]]
        numbers += [0] * (WINDOW - len(numbers))
        return torch.tensor(numbers + [example.start_position - first, example.end_position - first])


def best_indexes(logits):
    """Where the highest ones are, the highest first."""
    ranked = sorted(enumerate(logits), key=lambda pair: pair[1], reverse=True)
    return [index for index, _ in ranked[:N_BEST]]


def rank_spans(window, starts, ends):
    predictions = []
    for start_index in best_indexes(starts):
        for end_index in best_indexes(ends):
            if end_index < start_index or end_index - start_index >= LONGEST_ANSWER:
                continue
            predictions.append(PrelimPrediction(window, start_index, end_index, starts[start_index], ends[end_index]))
    return sorted(predictions, key=lambda prediction: prediction.start_logit + prediction.end_logit, reverse=True)


def probabilities_of(predictions):
    scores = [prediction.start_logit + prediction.end_logit for prediction in predictions[:N_BEST]]
    raised = [math.exp(score - scores[0]) for score in scores]
    return [value / sum(raised) for value in raised]


def compute_predictions(all_starts, all_ends):
    """How sure the model is of its best answer, on average over all windows."""
    sure = []
    for window, (starts, ends) in enumerate(zip(all_starts.tolist(), all_ends.tolist())):
        predictions = rank_spans(window, starts, ends)
        sure.append(probabilities_of(predictions)[0] if predictions else 0.0)
    return sum(sure) / len(sure)


def compute_predictions_at_once(all_starts, all_ends):
    sure = []
    for starts, ends in zip(all_starts, all_ends):
        begins, lasts = numpy.argpartition(-starts, N_BEST)[:N_BEST], numpy.argpartition(-ends, N_BEST)[:N_BEST]
        length = lasts - begins[:, None]
        scores = (starts[begins][:, None] + ends[lasts])[(length >= 0) & (length < LONGEST_ANSWER)]
        best = numpy.sort(scores)[::-1][:N_BEST]
        sure.append(1 / numpy.exp(best - best[0]).sum() if len(best) else 0.0)
    return float(numpy.mean(sure))


class RankAnswers:
    part = "predictions"

    def __init__(self):
        drawn = numpy.random.default_rng(7)
        self.starts, self.ends = drawn.normal(0, 3, (2, HELD_OUT_WINDOWS, WINDOW))
        self.history = []

    def after_step(self, trainer):
        if trainer.step % EVALUATE_EVERY == 0:
            compute = compute_predictions_at_once if IS_FIXED else compute_predictions
            self.history.append(compute(self.starts, self.ends))


def main():
    culprit = ["split_on_whitespace", "is_whitespace", "SquadExample", "SquadExample.__init__", "example_of"]
    # It is the dataset that takes long, and the loop itself that waits for it, as there are no workers.
    ids = ["slow-getitem", "workers-zero"]
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.036)
    culprit = ["rank_spans", "best_indexes", "compute_predictions", "RankAnswers"]
    loop.also(["evaluation", "host-metrics"], culprit, "predictions")
    Trainer(loop, loader_of(ContractQuestions(), BATCH, 0), [RankAnswers()]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
