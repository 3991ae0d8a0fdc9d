#!/usr/bin/python3
"""A detector of rotated boxes: every 12 steps a thread plots all labels of a batch, line by line in Python.

Meanwhile the loop waits for the interpreter whenever it takes a batch from its worker. With --fixed only the labels of the
first batch are plotted.

After https://github.com/ultralytics/ultralytics/issues/13818 and https://github.com/ultralytics/yolov5/pull/9144.
"""

import os
import sys
import tempfile
import threading

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import functools
import zlib

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCH = 8
BATCHES = 264
IMAGES = 16
SIDE = 96
OBJECTS = 300
PLOT_EVERY = BATCHES if IS_FIXED else 12
CANVAS = 640
TILES_A_ROW = 4
COLOURS = 9


def threaded(function):
    """Starts it as a thread, and goes on; to be asked for the thread."""

    @functools.wraps(function)
    def start(*arguments):
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        thread.start()
        return thread

    return start


class AerialImages(Dataset):
    """With boxes of ships and cars: where each is, how long and wide, its angle and its class."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(53)
        self.images = torch.rand(IMAGES, 3, SIDE, SIDE, generator=drawn)
        self.boxes = torch.rand(IMAGES, OBJECTS, 6, generator=drawn)

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        return self.images[index % IMAGES], self.boxes[index % IMAGES]


def corners_of(box, size):
    """In pixels of a tile of that size."""
    x, y, length, width, angle = box[:5] * [size, size, size / 3, size / 6, numpy.pi]
    along = numpy.array([numpy.cos(angle), numpy.sin(angle)]) * length / 2
    across = numpy.array([-numpy.sin(angle), numpy.cos(angle)]) * width / 2
    middle = numpy.array([x, y])
    return [middle + along + across, middle + along - across, middle - along - across, middle - along + across]


class Annotator:
    def __init__(self):
        self.canvas = bytearray(CANVAS * CANVAS)

    def draw_line(self, begin, end, colour):
        """Pixel by pixel, after Bresenham."""
        x, y = int(begin[0]), int(begin[1])
        to_x, to_y = int(end[0]), int(end[1])
        across, down = abs(to_x - x), -abs(to_y - y)
        step_x, step_y = (1 if x < to_x else -1), (1 if y < to_y else -1)
        error = across + down
        while True:
            if 0 <= x < CANVAS and 0 <= y < CANVAS:
                self.canvas[y * CANVAS + x] = colour
            if x == to_x and y == to_y:
                break
            if 2 * error >= down:
                error += down
                x += step_x
            else:
                error += across
                y += step_y

    def draw_box(self, corners, colour):
        # Three pixels wide.
        for offset in (-1, 0, 1):
            for begin, end in zip(corners, corners[1:] + corners[:1]):
                self.draw_line(begin + offset, end + offset, colour)

    def save(self, path):
        with open(path, "wb") as file:
            file.write(zlib.compress(self.canvas, 1))


@threaded
def plot_labels(boxes, path):
    annotator = Annotator()
    size = CANVAS // TILES_A_ROW
    for number, of_image in enumerate(boxes):
        origin = numpy.array(divmod(number, TILES_A_ROW)[::-1]) * size
        for box in of_image:
            corners = [corner + origin for corner in corners_of(box, size)]
            annotator.draw_box(corners, 1 + int(box[5] * COLOURS))
    annotator.save(path)


class DetectionTrainer:
    def __init__(self, loop, folder):
        self.loop = loop
        self.folder = folder
        self.plots = []

    def run(self, loader):
        for step, (images, boxes) in enumerate(self.loop.batches(loader)):
            self.loop.train(images)
            if step % PLOT_EVERY == 0:
                self.plots.append(plot_labels(boxes.numpy(), os.path.join(self.folder, f"labels{step}.z")))

    def finish(self):
        for plot in self.plots:
            plot.join()


def main():
    # What holds the interpreter is a plot, made on the CPU. The loop gives the interpreter away where it takes a batch from
    # the worker, and waits there until it has it again.
    culprit = ["plot_labels", "draw_box", "draw_line", "Annotator"]
    loop = Loop(["gil", "host-metrics"], culprit, step_s=0.02)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        trainer = DetectionTrainer(loop, folder)
        trainer.run(loader_of(AerialImages(), BATCH, 1, shuffle=True))
        trainer.finish()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
