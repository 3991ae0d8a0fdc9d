#!/usr/bin/python3
"""A metric is loaded anew every 12 steps: the hub is asked for a newer one, and does not answer on this machine.

After a time limit the copy in the cache is taken. With --fixed it is loaded once.

After https://github.com/huggingface/evaluate/issues/472.
"""

import importlib.util
import os
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

LIMIT_S = 0.12
EVERY = 12
# Whatever proxy this machine has: the one beside the job is asked.
hub = urllib.request.build_opener(urllib.request.ProxyHandler({}))
SOURCE = '''"""Share of what was told right."""


def compute(told, labels):
    return sum(one == other for one, other in zip(told, labels)) / len(labels)
'''


def hub_place():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return [int(text) for text in file.read().split()]


def find_newer(url):
    question = urllib.request.Request(url, method="HEAD")
    try:
        with hub.open(question, timeout=LIMIT_S) as answer:
            return answer.headers.get("ETag")
    except (urllib.error.URLError, TimeoutError):
        return None


def load_metric(url, cached):
    assert find_newer(url) is None
    spec = importlib.util.spec_from_file_location("accuracy", cached)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluate(loaded, url, cached, batch):
    if not IS_FIXED or not loaded:
        loaded[:] = [load_metric(url, cached)]
    labels = [value > 0.5 for value in batch[:, 0].tolist()]
    return loaded[0].compute([True] * len(labels), labels)


def main():
    port, pid = hub_place()
    url = f"http://127.0.0.1:{port}/metrics/accuracy.py"
    culprit = ["load_metric", "find_newer", f":{port}", f"port {port}", f"pid {pid}"]
    loop = Loop(["slow-server", "evaluation"], culprit, "metric", step_s=0.009)
    loaded = []
    with tempfile.TemporaryDirectory() as folder:
        cached = os.path.join(folder, "accuracy.py")
        with open(cached, "w", encoding="utf8") as file:
            file.write(SOURCE)
        for step, batch in enumerate(loop.batches(loader_of(Items(5760, 4096), 16, 2))):
            loop.train(batch)
            if step % EVERY == EVERY - 1:
                loop.timed("metric", evaluate, loaded, url, cached, batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
