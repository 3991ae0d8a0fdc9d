#!/usr/bin/python3
"""A proxy that takes all connections, and answers none. With --fixed neither: it is asked but once."""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def main():
    end_with_parent()
    be_called("proxy")
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    say_ready(sys.argv[1], f"{server.getsockname()[1]} {os.getpid()}")
    taken = []
    while True:
        taken.append(server.accept()[0])


if __name__ == "__main__":
    main()
