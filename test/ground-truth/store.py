"""A store that answers each question for a part some time later, many at a time: what several scripts of beside/ are."""

import os
import socket
import sys
import threading
import time

from neighbour import be_called, end_with_parent, say_ready

PART_BYTES = 4096


def place():
    """Of the store, in a job: its port and its pid."""
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return [int(text) for text in file.read().split()]


def key_of(part):
    return part.to_bytes(4, "little")


def ask(store, part):
    store.sendall(key_of(part))
    answered = bytearray()
    while len(answered) < PART_BYTES:
        answered += store.recv(1 << 16)
    return answered


def answer(connection, pause_s):
    with connection:
        while connection.recv(4):
            if pause_s:
                time.sleep(pause_s)
            connection.sendall(bytes(PART_BYTES))


def serve(name, pause_s):
    """Until it is told to end. With --fixed it answers at once."""
    end_with_parent()
    be_called(name)
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    say_ready(sys.argv[1], f"{server.getsockname()[1]} {os.getpid()}")
    pause_s = 0.0 if "--fixed" in sys.argv else pause_s
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection, pause_s), daemon=True).start()
