#!/usr/bin/python3
"""A detector's dataset keeps the paths of its annotations, and a worker reads and parses an image's XML whenever it is asked for.

The files are in the cache; parsing one takes about 2 ms. With --fixed they are parsed once, before the loop.

After https://github.com/open-mmlab/mmdetection/issues/2683, of annotations that are parsed again and again.
"""

import os
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 480
BATCH = 16
IMAGES = 160
# As on aerial images: ships, cars, planes, tanks.
OBJECTS = 120
CLASSES = ("ship", "car", "plane", "tank")
CORNERS = ("xmin", "ymin", "xmax", "ymax")


def write_annotation(path, image):
    root = ElementTree.Element("annotation")
    for number in range(OBJECTS):
        item = ElementTree.SubElement(root, "object")
        ElementTree.SubElement(item, "name").text = CLASSES[(image + number) % len(CLASSES)]
        ElementTree.SubElement(item, "difficult").text = "0"
        box = ElementTree.SubElement(item, "bndbox")
        for place, corner in enumerate(CORNERS):
            ElementTree.SubElement(box, corner).text = str((image * 31 + number * 17) % 900 + 30 * (place // 2))
    ElementTree.ElementTree(root).write(path)


def parse_annotation(path):
    """The class and the four corners of each object."""
    boxes = []
    for item in ElementTree.parse(path).getroot().iter("object"):
        box = item.find("bndbox")
        corners = [float(box.find(corner).text) for corner in CORNERS]
        boxes.append([float(CLASSES.index(item.find("name").text)), *corners])
    return torch.tensor(boxes)


class Aerial(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.known = [parse_annotation(path) for path in paths] if IS_FIXED else None

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        image = index % len(self.paths)
        return self.known[image] if self.known else parse_annotation(self.paths[image])


def main():
    torch.set_num_threads(1)
    culprit = ["parse_annotation", "Aerial.__getitem__", "ElementTree.py"]
    # Both workers are busy all the time: two CPUs have nothing left for a third one.
    loop = Loop("slow-getitem", culprit, step_s=0.006)
    with tempfile.TemporaryDirectory(prefix="annotations-", dir="/var/tmp") as folder:
        paths = [os.path.join(folder, f"{image}.xml") for image in range(IMAGES)]
        for image, path in enumerate(paths):
            write_annotation(path, image)
        for batch in loop.batches(loader_of(Aerial(paths), BATCH, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
