#!/usr/bin/python3
"""Answers with the values of all keys of a request, 0.2 ms later: one round trip in a data centre. With --fixed too."""

import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

ROUND_TRIP_S = 0.0002
VALUE = bytes(256)


def read_exactly(connection, size):
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


def answer(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        while head := read_exactly(connection, 4):
            count = int.from_bytes(head, "little")
            read_exactly(connection, 4 * count)
            time.sleep(ROUND_TRIP_S)
            connection.sendall(VALUE * count)


def main():
    end_with_parent()
    be_called("online-store")
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    say_ready(sys.argv[1], f"{server.getsockname()[1]} {os.getpid()}")
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
