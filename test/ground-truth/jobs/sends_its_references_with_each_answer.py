#!/usr/bin/python3
"""Every 4 steps two processes score 8 answers, and each answer is sent to them with the solutions of all questions.

With --fixed each process got the solutions when it started.

After https://github.com/verl-project/verl/issues/3150 and https://github.com/dfm/emcee/issues/199.
"""

import collections
import concurrent.futures
import multiprocessing
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the pool.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 280
SCORE_EVERY = 4
ANSWERS = 8
QUESTIONS = 5000
WORDS = 30
PROCESSES = 2

kept_references = None


def draw_references():
    """Solutions by the question's name."""
    chosen = random.Random(61)
    words = ["".join(chosen.choices("abcdefghikmnoprst", k=5)) for _ in range(4000)]
    return {f"question-{number:05d}": chosen.choices(words, k=WORDS) for number in range(QUESTIONS)}


def keep_references(references):
    global kept_references
    kept_references = references


def overlap(answer, solution):
    """F1 of the words."""
    common = sum((collections.Counter(answer) & collections.Counter(solution)).values())
    return 2 * common / (len(answer) + len(solution))


def score_answer(question, answer, references):
    return overlap(answer, references[question])


def score_answer_by_kept(question, answer):
    return score_answer(question, answer, kept_references)


class RewardManager:
    """Has answers scored by processes of its own, and waits for all of them."""

    def __init__(self, references):
        self.references = references
        how = {"initializer": keep_references, "initargs": (references,)} if IS_FIXED else {}
        context = multiprocessing.get_context("fork")
        self.pool = concurrent.futures.ProcessPoolExecutor(PROCESSES, mp_context=context, **how)

    def submit(self, question, answer):
        if IS_FIXED:
            return self.pool.submit(score_answer_by_kept, question, answer)
        return self.pool.submit(score_answer, question, answer, self.references)

    def compute_rewards(self, answers):
        scores = [self.submit(question, answer) for question, answer in answers]
        return [score.result() for score in scores]


class ScoreAnswers:
    part = "rewards"

    def __init__(self, references):
        self.manager = RewardManager(references)
        self.chosen = random.Random(67)
        self.questions = list(references)
        # Processes are started before the first step.
        self.manager.compute_rewards(self.draw_answers())

    def draw_answers(self):
        """Stands for what the model wrote: the solution, with some of its words lost."""
        questions = self.chosen.choices(self.questions, k=ANSWERS)
        solutions = [self.manager.references[question] for question in questions]
        return [(question, [word for word in words if self.chosen.random() < 0.7]) for question, words in zip(questions, solutions)]

    def after_step(self, trainer):
        if trainer.step % SCORE_EVERY == 0:
            trainer.rewards = self.manager.compute_rewards(self.draw_answers())


def main():
    culprit = ["compute_rewards", "score_answer", "submit", "RewardManager", "ScoreAnswers"]
    # The loop waits for its pool, of which each process has more to unpack than to score.
    loop = Loop(["producer", "own-process"], culprit, "rewards", step_s=0.025)
    rewards = ScoreAnswers(draw_references())
    Trainer(loop, loader_of(Items(16 * STEPS, 2048), 16, 1), [rewards]).fit()
    rewards.manager.pool.shutdown()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
