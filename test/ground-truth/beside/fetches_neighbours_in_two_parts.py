#!/usr/bin/python3
"""A vector store that sends the length of its answer first, and then the vectors. With --fixed both leave at once."""

import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

QUERY_BYTES = 4 * 256
ANSWER = bytes(4 * 4 * 256)


def read_query(connection):
    size = 0
    while size < QUERY_BYTES:
        part = connection.recv(QUERY_BYTES - size)
        if not part:
            return False
        size += len(part)
    return True


def answer(connection):
    if "--fixed" in sys.argv:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        while read_query(connection):
            connection.sendall(len(ANSWER).to_bytes(4, "little"))
            connection.sendall(ANSWER)


def main():
    end_with_parent()
    be_called("vector-store")
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    say_ready(sys.argv[1], f"{server.getsockname()[1]} {os.getpid()}")
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
