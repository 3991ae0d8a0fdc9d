#!/usr/bin/python3
"""A live table of all evaluations so far is laid out and drawn again after each step, and has a line or two more every 3 steps.

With --fixed it is drawn after every 50th step.

After https://github.com/Lightning-AI/pytorch-lightning/issues/13937 and https://github.com/Textualize/rich/issues/434.
"""

import os
import random
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 400
REFRESH_EVERY = 50 if IS_FIXED else 1
EVALUATE_EVERY = 3
NAMES = ["step", "loss", "bleu", "chrf", "length", "rate"]
WIDTHS = [6, 8, 8, 8, 8, 9]
TEXT_WIDTH = 72


def cell_width(character):
    """In columns of the terminal: letters of East Asia take two."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cell_len(text):
    return sum(map(cell_width, text))


def set_cell_size(text, width):
    """Cut, or filled up with spaces."""
    while cell_len(text) > width:
        text = text[:-1]
    return text + " " * (width - cell_len(text))


class Segment:
    def __init__(self, text, style):
        self.text = text
        self.style = style

    def as_ansi(self):
        return f"\x1b[{self.style}m{self.text}\x1b[0m"


class LiveTable:
    """Is drawn over what it drew before."""

    def __init__(self, file):
        self.file = file
        self.rows = []
        self.height = 0

    def add_row(self, cells, sample):
        self.rows.append((cells, sample))

    def wrap(self, text):
        """Lines that fit into the last column."""
        lines, line = [], ""
        for character in text:
            if cell_len(line + character) > TEXT_WIDTH:
                lines.append(line)
                line = ""
            line += character
        return [*lines, line]

    def render_row(self, cells, sample):
        first, *others = self.wrap(sample)
        styled = [Segment(set_cell_size(cell, width), 36) for cell, width in zip(cells, WIDTHS)]
        yield [*styled, Segment(set_cell_size(first, TEXT_WIDTH), 35)]
        for line in others:
            yield [Segment(" " * (sum(WIDTHS) + len(WIDTHS) - 1), 0), Segment(set_cell_size(line, TEXT_WIDTH), 35)]

    def render_lines(self):
        yield [Segment(set_cell_size(name, width), 1) for name, width in zip(NAMES, WIDTHS)]
        for cells, sample in self.rows:
            yield from self.render_row(cells, sample)

    def refresh(self):
        lines = [" ".join(segment.as_ansi() for segment in line) for line in self.render_lines()]
        self.file.write(f"\x1b[{self.height}A" + "\n".join(lines) + "\n")
        self.file.flush()
        self.height = len(lines)


class ShowTable:
    part = "table"

    def __init__(self, table):
        self.table = table
        self.chosen = random.Random(83)

    def draw_sample(self):
        """Stands for a translation into Japanese."""
        return "".join(self.chosen.choices("私達彼女今日明日学校行見食本読書水火山川人のはがをにで、。", k=self.chosen.randint(25, 70)))

    def after_step(self, trainer):
        if trainer.step % EVALUATE_EVERY == 0:
            figures = [trainer.loss, 20 + self.chosen.random(), 40 + self.chosen.random(), 0.97, 1e-4]
            self.table.add_row([str(trainer.step), *(f"{figure:.6g}" for figure in figures)], self.draw_sample())
        if trainer.step % REFRESH_EVERY == 0:
            self.table.refresh()


def main():
    culprit = ["refresh", "render_lines", "render_row", "wrap", "set_cell_size", "cell_len", "cell_width", "LiveTable"]
    # It is progress that is shown, and the loop's own code that lays it out.
    loop = Loop(["slow-output", "host-work"], culprit, "table", step_s=0.013)
    with tempfile.NamedTemporaryFile("w", dir="/var/tmp", prefix="nohup-", encoding="utf8") as file:
        Trainer(loop, loader_of(Items(16 * STEPS, 2048), 16, 1), [ShowTable(LiveTable(file))]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
