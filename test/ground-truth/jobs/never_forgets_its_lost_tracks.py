#!/usr/bin/python3
"""A tracker of a crowd keeps every track that it has given up, and goes through all of them after each frame of the video.

Frames take longer and longer. With --fixed it keeps those that it gave up in the last frame.

After https://github.com/FoundationVision/ByteTrack/issues/328 and https://github.com/roboflow/supervision/issues/1164.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

FRAMES = 6
STEPS = 270
PEOPLE = 16
# Of what the detector takes for people in one frame only.
GHOSTS = 58
MAX_TIME_LOST = 30
MATCH = 0.5


class STrack:
    count = 0

    def __init__(self, box, frame):
        STrack.count += 1
        self.track_id = STrack.count
        self.box = box
        self.start_frame = self.frame = frame
        self.is_confirmed = frame == 1

    def update(self, box, frame):
        self.box, self.frame, self.is_confirmed = box, frame, True


def sub_stracks(these, without):
    tracks = {}
    for track in these:
        tracks[track.track_id] = track
    for track in without:
        track_id = track.track_id
        if tracks.get(track_id, 0):
            del tracks[track_id]
    return list(tracks.values())


def iou_distance(tracks, boxes):
    """1 less the intersection over the union of each track's box with each box found."""
    own = numpy.array([track.box for track in tracks]).reshape(-1, 1, 4)
    both = numpy.minimum(own[..., 2:], boxes[:, 2:]) - numpy.maximum(own[..., :2], boxes[:, :2])
    shared = both.clip(0).prod(axis=2)
    area = (own[..., 2:] - own[..., :2]).prod(axis=2) + (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return 1 - shared / (area - shared)


class BYTETracker:
    def __init__(self):
        self.tracked_stracks = []
        self.lost_stracks = []
        self.removed_stracks = []
        self.frame = 0

    def associate(self, tracks, boxes):
        """Updates the tracks that are found again; returns which boxes are nobody's."""
        if not tracks:
            return range(len(boxes))
        costs = iou_distance(tracks, boxes)
        best = costs.argmin(axis=1)
        taken = set()
        for row, column in enumerate(best.tolist()):
            if column not in taken and costs[row, column] < MATCH:
                taken.add(column)
                tracks[row].update(boxes[column], self.frame)
        return [column for column in range(len(boxes)) if column not in taken]

    def update(self, boxes):
        self.frame += 1
        pool = self.tracked_stracks + self.lost_stracks
        new = [STrack(boxes[column], self.frame) for column in self.associate(pool, boxes)]
        seen = [track for track in pool if track.frame == self.frame]
        missed = [track for track in pool if track.frame < self.frame]
        removed = [track for track in missed if self.is_over(track)]
        self.lost_stracks = sub_stracks([track for track in missed if track.is_confirmed], self.removed_stracks)
        self.lost_stracks = sub_stracks(self.lost_stracks, removed)
        if IS_FIXED:
            self.removed_stracks = []
        self.removed_stracks.extend(removed)
        self.tracked_stracks = seen + new
        return [track.track_id for track in seen]

    def is_over(self, track):
        """One that was there for a single frame at once, others after a while."""
        return not track.is_confirmed or self.frame - track.frame > MAX_TIME_LOST


class Detector:
    """People walk, and are found in each frame; beside them are shadows."""

    def __init__(self):
        self.chosen = numpy.random.default_rng(41)
        self.corners = self.chosen.uniform(0, 1800, (PEOPLE, 2))

    def found(self):
        self.corners += self.chosen.normal(0, 1, self.corners.shape)
        corners = numpy.vstack((self.corners, self.chosen.uniform(0, 1800, (GHOSTS, 2))))
        return numpy.hstack((corners, corners + [24, 60]))


def track_people(tracker, boxes_of_frames):
    return [tracker.update(boxes) for boxes in boxes_of_frames]


def main():
    culprit = ["sub_stracks", "BYTETracker.update", "BYTETracker", "track_people"]
    loop = Loop(["postprocessing", "host-work", "host-metrics"], culprit, "tracking", step_s=0.042)
    tracker, detector = BYTETracker(), Detector()
    for frames in loop.batches(loader_of(Items(FRAMES * STEPS, 4096), FRAMES, 1)):
        loop.infer(frames)
        boxes_of_frames = [detector.found() for _ in range(FRAMES)]
        loop.timed("tracking", track_people, tracker, boxes_of_frames)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
