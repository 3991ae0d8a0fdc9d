#!/usr/bin/python3
"""A bucket of rasters, over HTTP: lists its keys in pages and gives ranges of them, each answer 4 ms later.

With --fixed it does so too: whoever asks, asks for less.
"""

import http.server
import os
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from geotiff import encode_raster
from neighbour import be_called, end_with_parent, say_ready

KEYS = [f"sentinel2/T32TQM/{number:05}.tif" for number in range(1800)]
A_PAGE = 300
FIRST_BYTE_S = 0.004


def encode_page(first):
    keys = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in KEYS[first : first + A_PAGE])
    follows = f"<NextMarker>{first + A_PAGE}</NextMarker>" if first + A_PAGE < len(KEYS) else ""
    return f"<ListBucketResult>{keys}{follows}</ListBucketResult>".encode()


class Bucket(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer leaves in one piece.
    wbufsize = 1 << 18
    pages = {first: encode_page(first) for first in range(0, len(KEYS), A_PAGE)}
    raster = encode_raster()

    def do_GET(self):
        time.sleep(FIRST_BYTE_S)
        address = urllib.parse.urlsplit(self.path)
        if address.query:
            self.answer(200, self.pages[int(urllib.parse.parse_qs(address.query)["marker"][0])])
            return
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        self.answer(206, self.raster[int(first) : int(last) + 1])

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def main():
    end_with_parent()
    be_called("object-gateway")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    server.daemon_threads = True
    say_ready(sys.argv[1], f"{server.server_port} {os.getpid()}")
    server.serve_forever()


if __name__ == "__main__":
    main()
