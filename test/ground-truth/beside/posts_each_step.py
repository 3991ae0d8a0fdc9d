#!/usr/bin/python3
"""Takes metrics over HTTP and answers when they are stored, 12 ms later. With --fixed too: asked less often."""

import http.server
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import end_with_parent, say_ready


class Tracking(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.012)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def main():
    end_with_parent()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tracking)
    say_ready(sys.argv[1], f"{server.server_address[1]} {os.getpid()}")
    server.serve_forever()


if __name__ == "__main__":
    main()
