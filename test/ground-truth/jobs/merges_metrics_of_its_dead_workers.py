#!/usr/bin/python3
"""A model's front end is asked for its metrics, and a thread merges the files of all its workers, also of those long gone.

Each worker leaves its files when it is replaced, so that ever more of them are read, in Python, while the engine waits for
the interpreter. With --fixed the files of a worker that has ended are added to one.

After https://github.com/prometheus/client_python/issues/568, https://github.com/prometheus/client_python/issues/367 and
https://github.com/prometheus/client_python/issues/204.
"""

import glob
import http.server
import json
import os
import random
import struct
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
PROMPTS = 64
REPLACED_EVERY = 3
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
MODELS = ("base", "chat", "code", "embed", "rerank")
ROUTES = ("/v1/completions", "/v1/chat/completions", "/v1/embeddings", "/health")
CODES = ("200", "400", "401", "429", "503")


class WorkerMetrics:
    """The counts of one worker of the front end: keys as JSON with a number behind each, as a mapped file holds them."""

    def __init__(self, folder, worker):
        self.path = os.path.join(folder, f"histogram_{worker}.db")
        self.packed = bytearray()

    def observe_all(self, drawn):
        for model in MODELS:
            for route in ROUTES:
                for code in CODES:
                    for bucket in BUCKETS:
                        labels = {"code": code, "le": str(bucket), "model": model, "route": route}
                        self.add(["request_seconds", "request_seconds_bucket", labels], drawn.randrange(1000))

    def add(self, key, value):
        encoded = json.dumps(key, sort_keys=True).encode()
        self.packed += struct.pack("i", len(encoded)) + encoded + struct.pack("d", value)

    def write(self):
        with open(self.path + ".part", "wb") as file:
            file.write(self.packed)
        os.replace(self.path + ".part", self.path)


class MultiProcessCollector:
    """Adds up what all workers have counted."""

    def __init__(self, folder):
        self.folder = folder

    def read_values(self, path):
        with open(path, "rb") as file:
            packed = file.read()
        at = 0
        while at < len(packed):
            (length,) = struct.unpack_from("i", packed, at)
            key = packed[at + 4 : at + 4 + length].decode()
            (value,) = struct.unpack_from("d", packed, at + 4 + length)
            at += 12 + length
            yield key, value

    def merge(self):
        samples = {}
        for path in glob.glob(os.path.join(self.folder, "*.db")):
            for key, value in self.read_values(path):
                _, name, labels = json.loads(key)
                sample = (name, tuple(sorted(labels.items())))
                samples[sample] = samples.get(sample, 0.0) + value
        return samples

    def exposition(self):
        lines = []
        for (name, labels), value in self.merge().items():
            told = ",".join(f'{label}="{said}"' for label, said in labels)
            lines.append(f"{name}{{{told}}} {value}\n")
        return "".join(lines).encode()


class FrontEnd:
    """Its workers are replaced now and then, against leaks; here only their files are."""

    def __init__(self, folder):
        self.folder = folder
        self.drawn = random.Random(9)
        self.worker = 0
        self.current = WorkerMetrics(folder, 0)
        self.current.observe_all(self.drawn)
        self.current.write()

    def replace_worker(self):
        self.worker = 0 if IS_FIXED else self.worker + 1
        self.current.path = os.path.join(self.folder, f"histogram_{self.worker}.db")
        self.current.write()


def serve_metrics(collector):
    """In a thread of its own; its port is told to who asks."""

    class Metrics(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            told = collector.exposition()
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *words):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Metrics)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    beside = os.environ["STALLTRACE_BESIDE"]
    part = os.path.join(beside, "port.part")
    with open(part, "w", encoding="utf8") as file:
        file.write(str(server.server_port))
    os.rename(part, os.path.join(beside, "port"))
    return server


def prompts():
    waiting = torch.rand(PROMPTS, 1024)
    for _ in range(BATCHES):
        yield waiting


def main():
    torch.set_num_threads(1)
    culprit = ["merge", "MultiProcessCollector", "read_values", "exposition", "metrics", "do_GET", "json.loads", "serve_metrics"]
    loop = Loop("gil", culprit, "held", step_s=0.008)
    with tempfile.TemporaryDirectory() as folder:
        front_end = FrontEnd(folder)
        batch = torch.rand(PROMPTS, 1024)
        replacing_s = usual_step_s(loop, front_end.replace_worker)
        usual_s = usual_step_s(loop, lambda: loop.infer(batch))
        server = serve_metrics(MultiProcessCollector(folder))
        for step, batch in enumerate(loop.batches(prompts())):
            add_held(loop, "held", usual_s, lambda: loop.infer(batch))
            if step % REPLACED_EVERY == 0:
                add_held(loop, "held", replacing_s, front_end.replace_worker)
        server.shutdown()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
