#!/usr/bin/python3
"""Nothing is wrong: each of two workers reads pictures from a renderer that it has started, and both are ahead of the GPU.

Workers wait for their renderers most of the time, and these until there is room in the pipe again.

After what is asked in https://github.com/cheind/pytorch-blender/issues/26 and told in
https://github.com/DLR-RM/BlenderProc/issues/52.
"""

import os
import subprocess
import sys

# A wait that spins would keep one of two CPUs from the renderers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import shapes
import torch
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

BATCH = 6
BATCHES = 90


class RemoteRenderer:
    """One that draws scenes of its own until nobody reads them any more."""

    def __init__(self, seed):
        self.program = subprocess.Popen([sys.executable, shapes.__file__, str(seed)], stdout=subprocess.PIPE)

    def receive_frame(self):
        frame = self.program.stdout.read(shapes.FRAME_BYTES)
        if len(frame) < shapes.FRAME_BYTES:
            raise RuntimeError("the renderer has ended")
        return frame

    def close(self):
        self.program.stdout.close()
        self.program.wait()


class RenderedShapes(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        renderer = RemoteRenderer(worker.id)
        for _ in range(BATCHES * BATCH // worker.num_workers):
            pixels = torch.frombuffer(bytearray(renderer.receive_frame()), dtype=torch.uint8)
            yield pixels.view(shapes.SIDE, shapes.SIDE, 4).permute(2, 0, 1) / 255
        renderer.close()


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.12)
    for pictures in loop.batches(DataLoader(RenderedShapes(), batch_size=BATCH, num_workers=2, prefetch_factor=4)):
        loop.train(pictures)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
