#!/usr/bin/python3
"""A recommender scores users in batches, and asks the feature store for each key of a batch by itself: 90 round trips.

Each of them is short. With --fixed all keys are asked for at once.

After https://github.com/feast-dev/feast/pull/2153, of a store that is asked for each view of features.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from store import place

USERS = 18
VIEWS = ("profile", "clicks", "basket", "device", "region")
STEPS = 240
VALUE_BYTES = 256


class OnlineStore:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read_answer(self, size):
        answer = bytearray()
        while len(answer) < size:
            answer += self.connection.recv(1 << 16)
        return answer

    def get_many(self, keys):
        """All values in one round trip."""
        request = len(keys).to_bytes(4, "little") + b"".join(key.to_bytes(4, "little") for key in keys)
        self.connection.sendall(request)
        return self.read_answer(VALUE_BYTES * len(keys))

    def get(self, key):
        return self.get_many([key])


class FeatureService:
    def __init__(self, store):
        self.store = store

    def keys_of(self, users):
        return [user * len(VIEWS) + view for user in users for view in range(len(VIEWS))]

    def get_online_features(self, users):
        keys = self.keys_of(users)
        if IS_FIXED:
            values = self.store.get_many(keys)
        else:
            values = bytearray().join(self.store.get(key) for key in keys)
        return torch.frombuffer(values, dtype=torch.float32).reshape(len(users), -1)


class Ranker:
    def __init__(self, loop, features):
        self.loop = loop
        self.features = features

    def score_users(self, candidates, users):
        known = self.loop.timed("features", self.features.get_online_features, users)
        candidates[: len(users), : known.shape[1]] = known
        self.loop.infer(candidates)


def main():
    port, pid = place()
    culprit = ["get_online_features", "OnlineStore.get", "get_many", "read_answer", "score_users"]
    culprit += [f":{port}", f"port {port}", f"pid {pid}", "online-store"]
    loop = Loop(["slow-server", "host-work"], culprit, "features", step_s=0.01)
    ranker = Ranker(loop, FeatureService(OnlineStore(port)))
    for step, candidates in enumerate(loop.batches(loader_of(Items(64 * STEPS, 1024), 64, 1))):
        ranker.score_users(candidates, range(step * USERS, (step + 1) * USERS))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
