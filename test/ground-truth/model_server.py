"""What the jobs that answer requests share: a server of one thread, and users who ask it."""

import http.client
import http.server
import os
import random
import sys
import time

from neighbour import end_with_parent, say_ready


def serve(loop, answer, requests):
    """Answers the first request, which warms up, then `requests` of them; each is a step of `loop`.

    `answer` may return what is sent back.
    """

    class Model(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            told = answer(self.rfile.read(int(self.headers["Content-Length"]))) or b"ok"
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *words):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Model)
    beside = os.environ["STALLTRACE_BESIDE"]
    part = os.path.join(beside, "port.part")
    with open(part, "w", encoding="utf8") as file:
        file.write(str(server.server_port))
    os.rename(part, os.path.join(beside, "port"))
    server.handle_request()
    for _ in range(requests):
        loop.steps.append(time.perf_counter())
        server.handle_request()
        if loop.is_over():
            break
    loop.steps.append(time.perf_counter())


def ask(bodies, pause_s):
    """Sends `bodies` one after the other, with pauses of users who read the answer first."""
    end_with_parent()
    say_ready(sys.argv[1])
    pauses = random.Random(1)
    port = os.path.join(sys.argv[1], "port")
    while not os.path.exists(port):
        time.sleep(0.02)
    with open(port, encoding="utf8") as file:
        address = ("127.0.0.1", int(file.read()))
    for body in bodies:
        time.sleep(pauses.expovariate(1 / pause_s))
        try:
            connection = http.client.HTTPConnection(*address)
            connection.request("POST", "/predict", body)
            connection.getresponse().read()
        except OSError:
            # The job has answered all it wanted to.
            time.sleep(0.05)
