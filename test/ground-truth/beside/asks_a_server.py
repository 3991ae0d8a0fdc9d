#!/usr/bin/python3
"""Answers each request with the features of a sample, one request at a time. With --fixed it takes no time for it."""

import os
import socketserver
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import end_with_parent, say_ready

FEATURES = bytes(4 * 4096)
one_at_a_time = threading.Lock()


class Features(socketserver.BaseRequestHandler):
    def handle(self):
        while self.request.recv(4):
            with one_at_a_time:
                if "--fixed" not in sys.argv:
                    time.sleep(0.004)
            self.request.sendall(FEATURES)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


def main():
    end_with_parent()
    server = Server(("127.0.0.1", 0), Features)
    say_ready(sys.argv[1], f"{server.server_address[1]} {os.getpid()}")
    server.serve_forever()


if __name__ == "__main__":
    main()
