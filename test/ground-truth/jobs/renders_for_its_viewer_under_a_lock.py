#!/usr/bin/python3
"""Gaussian splatting with a live viewer: its thread keeps the trainer's lock while it draws a frame for the browser.

Meanwhile no step begins. With --fixed it copies the scene under the lock and draws without it.

After https://github.com/nerfstudio-project/nerfstudio/issues/223.
"""

import os
import sys
import threading
import zlib

# A wait that spins would keep one of two CPUs from the viewer.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 520
RAYS = 2048
SPLATS = 220_000
HEIGHT, WIDTH = 288, 384
FRAMES_A_SECOND = 12


class Scene:
    def __init__(self):
        chosen = numpy.random.default_rng(37)
        self.means = chosen.normal(0, 1, (SPLATS, 3)).astype(numpy.float32)
        self.colours = chosen.random((SPLATS, 3), dtype=numpy.float32)

    def copy(self):
        copied = Scene.__new__(Scene)
        copied.means, copied.colours = self.means.copy(), self.colours.copy()
        return copied


def camera_at(angle):
    turn = numpy.eye(3, dtype=numpy.float32)
    turn[0, 0] = turn[2, 2] = numpy.cos(angle)
    turn[0, 2], turn[2, 0] = numpy.sin(angle), -numpy.sin(angle)
    return turn


def rasterize(scene, camera):
    """Splats far away are drawn first, so that near ones hide them."""
    seen = scene.means @ camera
    depth = seen[:, 2] + 4
    order = numpy.argsort(-depth)
    columns = (seen[order, 0] / depth[order] * WIDTH + WIDTH / 2).astype(numpy.int32)
    rows = (seen[order, 1] / depth[order] * WIDTH + HEIGHT / 2).astype(numpy.int32)
    is_inside = (columns >= 0) & (columns < WIDTH) & (rows >= 0) & (rows < HEIGHT) & (depth[order] > 0.1)
    image = numpy.zeros((HEIGHT, WIDTH, 3), dtype=numpy.float32)
    image[rows[is_inside], columns[is_inside]] = scene.colours[order[is_inside]]
    return image


class Viewer(threading.Thread):
    """The browser's camera goes round the scene, and each of its moves asks for a frame."""

    def __init__(self, trainer):
        super().__init__(name="viewer-render", daemon=True)
        self.trainer = trainer
        self.is_closed = threading.Event()
        self.frames = 0
        self.sent = b""

    def run(self):
        while not self.is_closed.wait(1 / FRAMES_A_SECOND):
            image = self.render_frame(camera_at(self.frames / 20))
            self.sent = zlib.compress((image * 255).astype(numpy.uint8).tobytes(), 1)
            self.frames += 1

    def render_frame(self, camera):
        if IS_FIXED:
            with self.trainer.lock:
                scene = self.trainer.scene.copy()
            return rasterize(scene, camera)
        with self.trainer.lock:
            return rasterize(self.trainer.scene, camera)

    def close(self):
        self.is_closed.set()
        self.join()


class Trainer:
    def __init__(self, loop):
        self.loop = loop
        self.lock = threading.Lock()
        self.scene = Scene()
        self.pixels = torch.rand(1 << 20, 6)

    def ray_batches(self):
        for _ in range(STEPS):
            yield self.pixels[torch.randint(len(self.pixels), (RAYS,))]

    def train_iteration(self, rays):
        self.loop.train(rays)
        self.scene.means[:RAYS] += rays[:, :3].numpy() * 1e-4

    def take_lock(self):
        self.lock.acquire()

    def fit(self):
        for rays in self.loop.batches(self.ray_batches()):
            self.loop.timed("lock", self.take_lock)
            self.train_iteration(rays)
            self.lock.release()


def main():
    torch.set_num_threads(1)
    loop = Loop("thread-lock", ["render_frame", "rasterize", "viewer-render", "take_lock"], "lock", step_s=0.01)
    trainer = Trainer(loop)
    viewer = Viewer(trainer)
    viewer.start()
    trainer.fit()
    viewer.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
