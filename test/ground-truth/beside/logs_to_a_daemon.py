#!/usr/bin/python3
"""Takes lines of a log over a socket, 2 ms each. With --fixed at once."""

import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

PAUSE_S = 0.0 if "--fixed" in sys.argv else 0.002


def main():
    end_with_parent()
    be_called("slow-syslogd")
    path = os.path.join(sys.argv[1], "log")
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind(path)
    say_ready(sys.argv[1], f"{path} {os.getpid()}")
    while True:
        server.recv(1 << 16)
        if PAUSE_S:
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
