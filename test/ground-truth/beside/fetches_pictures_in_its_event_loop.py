#!/usr/bin/python3
"""A store of pictures that takes 40 to 100 ms to answer, as those of others do. With --fixed too: nobody stands still for it."""

import http.server
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

SIDE = 224
FASTEST_S = 0.04
SLOWEST_S = 0.1


class PictureStore(http.server.BaseHTTPRequestHandler):
    chosen = random.Random(7)

    def do_GET(self):
        time.sleep(self.chosen.uniform(FASTEST_S, SLOWEST_S))
        picture = b"P6\n%d\n%d\n255\n" % (SIDE, SIDE) + os.urandom(3 * SIDE * SIDE)
        self.send_response(200)
        self.send_header("Content-Length", str(len(picture)))
        self.end_headers()
        self.wfile.write(picture)

    def log_message(self, *_):
        pass


def main():
    end_with_parent()
    be_called("picture-store")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PictureStore)
    say_ready(sys.argv[1], f"{server.server_address[1]} {os.getpid()}")
    server.serve_forever()


if __name__ == "__main__":
    main()
