#!/usr/bin/python3
"""Six users of the job's server, each of which asks again as soon as it is answered."""

import contextlib
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import end_with_parent, say_ready

USERS = 6
ASKED = bytes(4096)


def use(port):
    with socket.create_connection(("127.0.0.1", port)) as server, contextlib.suppress(ConnectionError):
        server.sendall(ASKED)
        while server.recv(4096):
            server.sendall(ASKED)


def main():
    end_with_parent()
    say_ready(sys.argv[1])
    path = os.path.join(sys.argv[1], "port")
    while not os.path.exists(path):
        time.sleep(0.02)
    with open(path, encoding="utf8") as file:
        port = int(file.read())
    for _ in range(USERS):
        threading.Thread(target=use, args=(port,), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
