#!/usr/bin/python3
"""A recommender scores offers, and a thread reads the registry of its features again whenever that is older than its TTL.

The registry is one large JSON, which is parsed without a pause. With --fixed the thread first looks whether the file has
changed.

After https://github.com/feast-dev/feast/pull/3812 and https://github.com/OpenNMT/CTranslate2/issues/1321.
"""

import json
import os
import sys
import tempfile
import threading

# A wait that spins would keep one of two CPUs from the thread.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from usual import add_held, usual_step_s

BATCHES = 700
OFFERS = 256
FEATURES = 512
VIEWS = 20_000
SERVED_VIEWS = 12
CACHE_TTL_S = 0.45


def view_named(number):
    entity = ("user", "offer", "shop", "session")[number % 4]
    fields = [{"name": f"{entity}_{number}_{window}d", "dtype": "FLOAT", "window_s": 86_400 * window} for window in (1, 7, 30)]
    source = {"table": f"warehouse.features.{entity}_{number}", "timestamp_field": "event_timestamp"}
    return {"name": f"{entity}_view_{number}", "entities": [entity], "features": fields, "source": source, "ttl_s": 604_800}


class Registry:
    """What features there are, as a file of a bucket says that a team writes when it adds some."""

    def __init__(self, path):
        self.path = path
        self.changed_at = None
        self.views = {}
        self.refresh()

    def refresh(self):
        changed_at = os.stat(self.path).st_mtime_ns
        if IS_FIXED and changed_at == self.changed_at:
            return
        with open(self.path, encoding="utf8") as file:
            self.views = json.loads(file.read())["feature_views"]
        self.changed_at = changed_at


class RegistryRefresher(threading.Thread):
    def __init__(self, registry):
        super().__init__(name="registry-refresh", daemon=True)
        self.registry = registry
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(CACHE_TTL_S):
            self.registry.refresh()

    def close(self):
        self.is_over.set()
        self.join()


class OfferScorer:
    def __init__(self, loop, registry):
        self.loop = loop
        self.registry = registry
        self.online = torch.rand(20_000, FEATURES)
        self.served = [f"offer_view_{4 * number + 1}" for number in range(SERVED_VIEWS)]

    def feature_names(self):
        views = [self.registry.views[name] for name in self.served]
        return [field["name"] for view in views for field in view["features"]]

    def requests(self):
        for number in range(BATCHES):
            begin = number * 61 % (len(self.online) - OFFERS)
            yield self.online[begin : begin + OFFERS]

    def score(self, offers):
        columns = len(self.feature_names())
        self.loop.infer(offers)
        return columns


def write_registry(path):
    views = {view["name"]: view for view in map(view_named, range(VIEWS))}
    with open(path, "w", encoding="utf8") as file:
        json.dump({"project": "offers", "feature_views": views}, file)


def main():
    torch.set_num_threads(1)
    culprit = ["refresh", "Registry.refresh", "RegistryRefresher", "RegistryRefresher.run", "registry-refresh", "json.loads"]
    loop = Loop("gil", culprit, "held", step_s=0.008)
    # It runs within the parsing, as that makes many objects: with the collector off, steps take a quarter less.
    loop.also_right += ["garbage-collection"]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "registry.json")
        write_registry(path)
        scorer = OfferScorer(loop, Registry(path))
        usual_s = usual_step_s(loop, lambda: scorer.score(scorer.online[:OFFERS]))
        refresher = RegistryRefresher(scorer.registry)
        refresher.start()
        for offers in loop.batches(scorer.requests()):
            add_held(loop, "held", usual_s, lambda: scorer.score(offers))
        refresher.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
