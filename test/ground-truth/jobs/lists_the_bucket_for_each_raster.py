#!/usr/bin/python3
"""Satellite images: to open a raster of a bucket, all of its neighbours are listed first, in search of side-cars.

Workers wait for seven answers before they get a tile. With --fixed the folder is taken to be empty.

After https://github.com/rasterio/rasterio/issues/2213 and https://github.com/rasterio/rasterio/issues/987.
"""

import http.client
import os
import random
import sys
import xml.etree.ElementTree

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from geotiff import HEADER_BYTES, TILES, decode_tile, read_directory
from loop import IS_FIXED, Loop, loader_of
from store import place
from torch.utils.data import IterableDataset, get_worker_info

RASTERS = 1800
BATCHES = 140
BATCH = 8
WORKERS = 4


class VsiCurl:
    """Reads what lies in the bucket over one connection that is kept."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def get(self, path, headers):
        self.connection.request("GET", path, headers=headers)
        return self.connection.getresponse().read()

    def get_range(self, key, first, count):
        return self.get(f"/{key}", {"Range": f"bytes={first}-{first + count - 1}"})

    def list_siblings(self, key):
        prefix, marker, found = os.path.dirname(key), "0", []
        while marker is not None:
            page = xml.etree.ElementTree.fromstring(self.get(f"/?prefix={prefix}&marker={marker}", {}))
            found += [entry.text for entry in page.iter("Key")]
            marker = page.findtext("NextMarker")
        return found


class Raster:
    def __init__(self, bucket, key):
        self.bucket = bucket
        self.key = key
        self.sidecars = [] if IS_FIXED else self.find_sidecars()
        self.tiles = read_directory(bucket.get_range(key, 0, HEADER_BYTES))

    def find_sidecars(self):
        stem = os.path.splitext(self.key)[0]
        return [key for key in self.bucket.list_siblings(self.key) if key.startswith(stem) and key != self.key]

    def read_tile(self, number):
        return decode_tile(self.bucket.get_range(self.key, *self.tiles[number]))


class RandomTiles(IterableDataset):
    """A tile of a raster, both drawn anew each time."""

    def __init__(self, port):
        self.port = port

    def __iter__(self):
        chosen = random.Random(get_worker_info().id)
        bucket = VsiCurl(self.port)
        for _ in range(BATCHES * BATCH // WORKERS):
            raster = Raster(bucket, f"sentinel2/T32TQM/{chosen.randrange(RASTERS):05}.tif")
            yield torch.from_numpy(raster.read_tile(chosen.randrange(TILES)).astype(numpy.float32) / 10000)


def main():
    port, pid = place()
    culprit = [f":{port}", f"port {port}", f"pid {pid}", "object-gateway"]
    culprit += ["list_siblings", "find_sidecars", "VsiCurl", "Raster.__init__"]
    loop = Loop(["slow-server", "slow-getitem"], culprit, step_s=0.032)
    for batch in loop.batches(loader_of(RandomTiles(port), BATCH, WORKERS)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
