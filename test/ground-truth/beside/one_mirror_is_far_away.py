#!/usr/bin/python3
"""Two stores: a near one, which answers at once, and one that takes 4 ms. With --fixed both are near."""

import os
import signal
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready
from store import answer

FAR_S = 0.0 if "--fixed" in sys.argv else 0.004


def serve(server, name, pause_s):
    end_with_parent()
    be_called(name)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection, pause_s), daemon=True).start()


def main():
    end_with_parent()
    ports, children = [], []
    for name, pause_s in (("near-mirror", 0.0), ("far-mirror", FAR_S)):
        server = socket.create_server(("127.0.0.1", 0), backlog=64)
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            serve(server, name, pause_s)
        ports.append(server.getsockname()[1])
        children.append(child)
        server.close()
    say_ready(sys.argv[1], " ".join(map(str, ports + children)))
    signal.sigwait([signal.SIGTERM])
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
