#!/usr/bin/python3
"""A vocoder lets its user hear three sounds every 20 steps, and the summary writer packs each value of them by itself.

What was packed so far is copied for each value. With --fixed NumPy turns all values of a sound at once.

After https://github.com/pytorch/pytorch/pull/44201 and https://github.com/lanpa/tensorboardX/pull/409.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import io
import struct
import tempfile
import time
import wave
import zlib

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

STEPS = 300
BATCH = 16
RATE = 22050
SOUND_SECONDS = 1.6
HEAR_EVERY = 20


def pack_values(sound):
    packed = b""
    for value in [int(32767.0 * value) for value in sound]:
        packed += struct.pack("<h", value)
    return packed


def convert_values(sound):
    return (32767.0 * sound).astype("<i2").tobytes()


def audio(tag, sound, rate):
    """A summary of a sound: its name, and a file of waves in memory."""
    sound = numpy.clip(numpy.squeeze(sound), -1, 1)
    packed = convert_values(sound) if IS_FIXED else pack_values(sound)
    memory = io.BytesIO()
    with wave.open(memory, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(packed)
    return struct.pack("<I", len(tag)) + tag.encode() + memory.getvalue()


class EventFileWriter:
    def __init__(self, folder):
        self.file = open(os.path.join(folder, f"events.out.{int(time.time())}"), "wb")

    def write_record(self, record):
        length = struct.pack("<Q", len(record))
        self.file.write(length + struct.pack("<I", zlib.crc32(length)) + record + struct.pack("<I", zlib.crc32(record)))

    def close(self):
        self.file.close()


class SummaryWriter:
    def __init__(self, folder):
        self.file_writer = EventFileWriter(folder)

    def add_scalar(self, tag, value, step):
        self.file_writer.write_record(struct.pack("<Qf", step, value) + tag.encode())

    def add_audio(self, tag, sound, step, rate):
        self.file_writer.write_record(struct.pack("<Q", step) + audio(tag, sound, rate))

    def close(self):
        self.file_writer.close()


class Vocoder:
    """What it has learned of three sentences so far: their pitch, below noise that becomes less."""

    def __init__(self):
        seconds = numpy.arange(int(SOUND_SECONDS * RATE)) / RATE
        self.drawn = numpy.random.default_rng(73)
        self.clean = [0.6 * numpy.sin(2 * numpy.pi * pitch * seconds) for pitch in (110, 165, 220)]

    def generate(self, number, step):
        noise = self.drawn.normal(size=len(self.clean[number])) / (1 + 0.05 * step)
        return (self.clean[number] + 0.3 * noise).astype(numpy.float32)


def log_sounds(writer, vocoder, step):
    for number in range(3):
        writer.add_audio(f"generated/{number}", vocoder.generate(number, step), step, RATE)


def main():
    culprit = ["pack_values", "audio", "SummaryWriter.add_audio", "add_audio", "log_sounds", "SummaryWriter"]
    # What is slow of the output is to put it together in Python, and not to write it: that is work of the loop as well.
    loop = Loop(["slow-output", "host-work"], culprit, "sounds", step_s=0.02)
    vocoder = Vocoder()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        writer = SummaryWriter(folder)
        for step, mels in enumerate(loop.batches(loader_of(Items(STEPS * BATCH, 80 * 32), BATCH, 1)), 1):
            loop.train(mels)
            writer.add_scalar("loss/mel", float(mels[0, 0]), step)
            if step % HEAR_EVERY == 0:
                loop.timed("sounds", log_sounds, writer, vocoder, step)
        writer.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
