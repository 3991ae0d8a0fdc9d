#!/usr/bin/python3
"""A server that answers one request after the other with a model, asked now and then: nothing is wrong with it."""

import http.server
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop

REQUESTS = 300


def main():
    loop = Loop(verdicts=["serving"], step_s=0.008)
    features = torch.zeros(16, 4096)

    class Model(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            self.rfile.read(length)
            loop.infer(features)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *words):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Model)
    beside = os.environ["STALLTRACE_BESIDE"]
    part = os.path.join(beside, "port.part")
    with open(part, "w", encoding="utf8") as file:
        file.write(str(server.server_port))
    os.rename(part, os.path.join(beside, "port"))
    server.handle_request()
    for _ in range(REQUESTS):
        loop.steps.append(time.perf_counter())
        loop.timed("request", server.handle_request)
    loop.steps.append(time.perf_counter())
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
