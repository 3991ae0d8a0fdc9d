#!/usr/bin/python3
"""A service that answers each question for a page of embeddings at once. With --fixed too."""

import http.server
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

PAGE = os.urandom(1024) * 64


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else the page waits until its head is acknowledged.
    disable_nagle_algorithm = True

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words):
        pass


def main():
    end_with_parent()
    be_called("embedding-pages")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    say_ready(sys.argv[1], f"{server.server_port} {os.getpid()}")
    server.serve_forever()


if __name__ == "__main__":
    main()
