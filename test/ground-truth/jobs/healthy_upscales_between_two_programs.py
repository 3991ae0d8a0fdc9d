#!/usr/bin/python3
"""Nothing is wrong: a film is enlarged, frames come from one program and go to another, and a thread waits for each of them.

Both programs are far quicker than the GPU, so that the reader stands before a full queue and the writer before an empty one.

After https://github.com/xinntao/Real-ESRGAN/pull/650 and https://github.com/k4yt3x/video2x/issues/1306.
"""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

# A wait that spins would keep one of two CPUs from the programs.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop

HEIGHT, WIDTH = 120, 160
FRAMES_A_BATCH = 4
BATCHES = 150
SCALE = 2
AHEAD = 6
FRAME_BYTES = 3 * HEIGHT * WIDTH


def write_film(path):
    """Clouds that move over a flat sky, as drawn films have them."""
    drawn = numpy.random.default_rng(8)
    sky = numpy.kron(drawn.integers(120, 250, (HEIGHT // 8, WIDTH // 8, 3)), numpy.ones((8, 8, 1))).astype(numpy.uint8)
    with open(path, "wb") as file:
        packer = subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=file)
        for number in range(FRAMES_A_BATCH * BATCHES):
            packer.stdin.write(numpy.roll(sky, number, axis=1).tobytes())
        packer.stdin.close()
        packer.wait()


class Reader(threading.Thread):
    """Takes frames from the decoder, and has some batches of them at hand."""

    def __init__(self, path):
        super().__init__(name="reader", daemon=True)
        self.decoder = subprocess.Popen(["zstd", "-q", "-dc", path], stdout=subprocess.PIPE)
        self.ready = queue.Queue(AHEAD)

    def read_frames(self):
        return self.decoder.stdout.read(FRAMES_A_BATCH * FRAME_BYTES)

    def run(self):
        while frames := self.read_frames():
            pixels = torch.frombuffer(bytearray(frames), dtype=torch.uint8)
            self.ready.put(pixels.view(-1, HEIGHT, WIDTH, 3))
        self.ready.put(None)
        self.decoder.wait()

    def batches(self):
        while (frames := self.ready.get()) is not None:
            yield frames


class Writer(threading.Thread):
    """Brings enlarged frames to the encoder."""

    def __init__(self, path):
        super().__init__(name="writer")
        self.file = open(path, "wb")
        self.encoder = subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=self.file)
        self.results = queue.Queue(AHEAD)

    def write_frames(self, frames):
        enlarged = frames.numpy().repeat(SCALE, axis=1).repeat(SCALE, axis=2)
        self.encoder.stdin.write(memoryview(enlarged).cast("B"))

    def run(self):
        while (frames := self.results.get()) is not None:
            self.write_frames(frames)
        self.encoder.stdin.close()
        self.encoder.wait()
        self.file.close()

    def finish(self):
        self.results.put(None)
        self.join()


def main():
    if shutil.which("zstd") is None:
        print("needs zstd", file=sys.stderr)
        sys.exit(77)
    torch.set_num_threads(1)
    loop = Loop(step_s=0.06)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="film-") as folder:
        film = os.path.join(folder, "film.zst")
        write_film(film)
        reader, writer = Reader(film), Writer(os.path.join(folder, "enlarged.zst"))
        reader.start()
        writer.start()
        for frames in loop.batches(reader.batches()):
            loop.infer(frames)
            loop.timed("handing over", writer.results.put, frames)
        writer.finish()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
