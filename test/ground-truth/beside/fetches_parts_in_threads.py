#!/usr/bin/python3
"""A store that answers each question for a part 5 ms later, many at a time. With --fixed at once."""

import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

PART = bytes(4096)
PAUSE_S = 0.0 if "--fixed" in sys.argv else 0.005


def answer(connection):
    with connection:
        while connection.recv(4):
            if PAUSE_S:
                time.sleep(PAUSE_S)
            connection.sendall(PART)


def main():
    end_with_parent()
    be_called("object-store")
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    say_ready(sys.argv[1], f"{server.getsockname()[1]} {os.getpid()}")
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
