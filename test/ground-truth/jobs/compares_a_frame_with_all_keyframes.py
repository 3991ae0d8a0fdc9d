#!/usr/bin/python3
"""A map is learned from a depth camera: which keyframes see what a frame sees is looked up among all of them, ever more.

Points of each frame are projected into one keyframe after the other before the GPU gets the rays of those that overlap most.
With --fixed they are projected into the four nearest ones only.

After https://github.com/raulmur/ORB_SLAM2/issues/90 and https://github.com/kornia/kornia-slam/issues/3.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

FRAMES = 560
KEYFRAME_EVERY = 2
HEIGHT, WIDTH = 60, 80
FOCAL = 60.0
SAMPLED = 1200
CHOSEN = 4
RAYS = 512
FRAMES_A_LAP = 140
EDGE = 4


def pose_at(frame):
    """From the camera to the world: it walks around a room, and looks outwards."""
    angle = 2 * numpy.pi * frame / FRAMES_A_LAP
    cosine, sine = numpy.cos(angle), numpy.sin(angle)
    pose = numpy.eye(4)
    pose[:3, :3] = [[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]]
    pose[:3, 3] = [sine, 0.1 * numpy.sin(3 * angle), cosine]
    return pose


class DepthFrames(Dataset):
    """Red, green, blue and depth of each pixel."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(41)
        self.frames = torch.rand(12, 4, HEIGHT, WIDTH, generator=drawn)
        self.frames[:, 3] = 2 + self.frames[:, 3]

    def __len__(self):
        return FRAMES

    def __getitem__(self, index):
        return self.frames[index % len(self.frames)]


class Keyframe:
    def __init__(self, picture, pose):
        self.picture = picture
        self.to_camera = numpy.linalg.inv(pose)
        self.centre = pose[:3, 3]


class Mapper:
    def __init__(self):
        self.keyframes = []
        self.drawn = numpy.random.default_rng(43)

    def sample_points(self, picture, pose):
        """In the world, one per line."""
        rows = self.drawn.integers(0, HEIGHT, SAMPLED)
        columns = self.drawn.integers(0, WIDTH, SAMPLED)
        depth = picture[3][rows, columns]
        right = (columns - WIDTH / 2) / FOCAL * depth
        down = (rows - HEIGHT / 2) / FOCAL * depth
        return numpy.stack([right, down, depth, numpy.ones(SAMPLED)], axis=1) @ pose.T

    def percent_inside(self, keyframe, points):
        seen = points @ keyframe.to_camera.T
        depth = seen[:, 2] + 1e-5
        column = seen[:, 0] / depth * FOCAL + WIDTH / 2
        row = seen[:, 1] / depth * FOCAL + HEIGHT / 2
        inside = (column > EDGE) & (column < WIDTH - EDGE) & (row > EDGE) & (row < HEIGHT - EDGE) & (depth > 0)
        return inside.mean()

    def candidates(self, pose):
        if not IS_FIXED or len(self.keyframes) <= CHOSEN:
            return self.keyframes
        centres = numpy.stack([keyframe.centre for keyframe in self.keyframes[-40:]])
        nearest = numpy.argsort(((centres - pose[:3, 3]) ** 2).sum(axis=1))[:CHOSEN]
        return [self.keyframes[-40:][place] for place in nearest]

    def keyframe_selection_overlap(self, picture, pose):
        points = self.sample_points(picture, pose)
        overlaps = [(self.percent_inside(keyframe, points), keyframe) for keyframe in self.candidates(pose)]
        overlaps.sort(key=lambda overlap: overlap[0], reverse=True)
        return [keyframe for percent, keyframe in overlaps[:CHOSEN] if percent > 0]

    def rays_of(self, picture, chosen):
        pictures = [picture, *[keyframe.picture for keyframe in chosen]]
        places = self.drawn.integers(0, HEIGHT * WIDTH, RAYS // len(pictures))
        return torch.from_numpy(numpy.concatenate([shown.reshape(4, -1)[:, places] for shown in pictures], axis=1))

    def add_keyframe(self, picture, pose):
        self.keyframes.append(Keyframe(picture, pose))


def main():
    # It prepares what is copied then, and is work of the loop's own that no library does.
    ids = ["host-data-movement", "host-work"]
    loop = Loop(ids, ["keyframe_selection_overlap", "percent_inside", "Mapper"], "selection", step_s=0.012)
    mapper = Mapper()
    for step, batch in enumerate(loop.batches(loader_of(DepthFrames(), 1, 1))):
        picture, pose = batch[0].numpy(), pose_at(step)
        chosen = loop.timed("selection", mapper.keyframe_selection_overlap, picture, pose)
        loop.train(mapper.rays_of(picture, chosen))
        if step % KEYFRAME_EVERY == 0:
            mapper.add_keyframe(picture.copy(), pose)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
