#!/usr/bin/python3
"""Nothing is wrong: a thread for each of three cameras keeps its newest frame for a detector, and the GPU is the limit.

Cameras send more frames than the GPU has time for, and those that nobody asked for are dropped. The loop would sleep
until each camera has a frame, but each has.

After https://github.com/ultralytics/yolov5/issues/3874, where the threads of LoadStreams sleep.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import multiprocessing
import threading
import time

import numpy
import torch
from loop import Loop

CAMERAS = 3
FRAMES_A_SECOND = 25
HEIGHT, WIDTH = 240, 320
BATCHES = 170


def send_frames(pipe, seed):
    """A camera: a frame whenever its time has come, until nobody listens."""
    frame = numpy.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=numpy.uint8)
    begin = time.monotonic()
    try:
        for number in range(1, 10**9):
            pipe.send_bytes(numpy.roll(frame, number, axis=1).tobytes())
            time.sleep(max(0.0, begin + number / FRAMES_A_SECOND - time.monotonic()))
    except OSError:
        pass


class LoadStreams:
    """The newest frames of all cameras."""

    def __init__(self, pipes):
        self.pipes = pipes
        self.frames = [None] * len(pipes)
        self.is_over = False
        numbers = range(len(pipes))
        self.threads = [threading.Thread(target=self.update, args=(number,), daemon=True) for number in numbers]
        for thread in self.threads:
            thread.start()

    def update(self, number):
        while not self.is_over:
            sent = self.pipes[number].recv_bytes()
            self.frames[number] = numpy.frombuffer(sent, numpy.uint8).reshape(HEIGHT, WIDTH, 3)

    def close(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def wait_for_all(self):
        while any(frame is None for frame in self.frames):
            time.sleep(1 / FRAMES_A_SECOND)

    def preprocess(self, frames):
        turned = numpy.stack(frames)[..., ::-1].transpose(0, 3, 1, 2)
        return torch.from_numpy(numpy.ascontiguousarray(turned))

    def __iter__(self):
        for _ in range(BATCHES):
            self.wait_for_all()
            frames, self.frames = self.frames, [None] * len(self.frames)
            yield self.preprocess(frames)


class Counter:
    """How many objects were seen, by the frame's brightest rows; none is kept."""

    def __init__(self):
        self.seen = 0

    def update(self, frames):
        self.seen += int((frames[:, 0, ::16].amax(dim=2) > 254).sum())


def main():
    torch.set_num_threads(1)
    context = multiprocessing.get_context("fork")
    pipes, cameras = [], []
    for number in range(CAMERAS):
        receiving, sending = context.Pipe(duplex=False)
        cameras.append(context.Process(target=send_frames, args=(sending, number), name=f"camera{number}", daemon=True))
        cameras[-1].start()
        sending.close()
        pipes.append(receiving)
    loop = Loop(step_s=0.07)
    counter = Counter()
    streams = LoadStreams(pipes)
    for frames in loop.batches(streams):
        loop.infer(frames)
        loop.timed("counting", counter.update, frames)
    loop.report(sys.argv[1])
    streams.close()


if __name__ == "__main__":
    main()
