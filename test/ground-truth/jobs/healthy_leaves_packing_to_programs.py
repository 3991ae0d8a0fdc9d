#!/usr/bin/python3
"""Nothing is wrong: a turbulence model learns from flows that two workers solve in time, and starts a packer at times.

Every 25 steps what it says is written to a file, and a program is started that packs it; nobody waits for that.

After what was asked for in https://github.com/IMSY-DKFZ/simpa/issues/113.
"""

import os
import shutil
import subprocess
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SIDE = 64
SOLVER_STEPS = 24
STEP_TIME = 0.004
VISCOSITY = 1e-3
BATCH = 2
BATCHES = 152
SAVE_EVERY = 25


class SpectralSolver:
    """Vorticity of a flow in a periodic box."""

    def __init__(self):
        numbers = numpy.fft.fftfreq(SIDE, 1 / SIDE)
        self.across, self.down = numpy.meshgrid(numbers, numbers[: SIDE // 2 + 1], indexing="ij")
        self.squares = self.across**2 + self.down**2
        self.inverse = 1 / numpy.maximum(self.squares, 1)

    def advect(self, spectrum):
        stream = spectrum * self.inverse
        velocity_x = numpy.fft.irfft2(1j * self.down * stream)
        velocity_y = numpy.fft.irfft2(-1j * self.across * stream)
        slope_x = numpy.fft.irfft2(1j * self.across * spectrum)
        slope_y = numpy.fft.irfft2(1j * self.down * spectrum)
        return numpy.fft.rfft2(velocity_x * slope_x + velocity_y * slope_y)

    def step(self, spectrum):
        moved = spectrum - STEP_TIME * self.advect(spectrum)
        return moved / (1 + STEP_TIME * VISCOSITY * self.squares)


class Flows(IterableDataset):
    """Each worker follows a flow of its own: where it is, and where it will be some steps later."""

    def __iter__(self):
        worker = get_worker_info()
        solver = SpectralSolver()
        drawn = numpy.random.default_rng(worker.id)
        spectrum = numpy.fft.rfft2(drawn.normal(size=(SIDE, SIDE))) * numpy.exp(-solver.squares / 100)
        for _ in range(worker.id, BATCHES * BATCH, worker.num_workers):
            before = numpy.fft.irfft2(spectrum)
            for _ in range(SOLVER_STEPS):
                spectrum = solver.step(spectrum)
            yield torch.from_numpy(numpy.stack([before, numpy.fft.irfft2(spectrum)]).astype(numpy.float32))


class FieldWriter:
    """Keeps the last fields, and hands them to a packer, which removes the file that it has packed."""

    def __init__(self, folder):
        self.folder = folder
        self.fields = []
        self.packers = []
        self.files = 0

    def add(self, fields):
        self.fields.append(fields.numpy().copy())
        if len(self.fields) == SAVE_EVERY:
            self.save()

    def save(self):
        path = os.path.join(self.folder, f"fields{self.files}.raw")
        numpy.concatenate(self.fields).tofile(path)
        self.packers = [packer for packer in self.packers if packer.poll() is None]
        self.packers.append(subprocess.Popen(["zstd", "-q", "-9", "--rm", path]))
        self.fields = []
        self.files += 1

    def finish(self):
        for packer in self.packers:
            packer.wait()


def main():
    if shutil.which("zstd") is None:
        print("needs zstd", file=sys.stderr)
        sys.exit(77)
    torch.set_num_threads(1)
    loop = Loop(step_s=0.07)
    options = {"multiprocessing_context": "spawn", "prefetch_factor": 4}
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="fields-") as folder:
        writer = FieldWriter(folder)
        loader = DataLoader(Flows(), batch_size=BATCH, num_workers=2, **options)
        for fields in loop.batches(loader):
            loop.train(fields)
            loop.timed("saving", writer.add, fields)
        writer.finish()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
