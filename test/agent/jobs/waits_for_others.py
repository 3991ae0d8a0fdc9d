#!/usr/bin/python3
"""Waits for another process in every way that has a name, in a folder; reports for whom, and when."""

import errno
import fcntl
import json
import multiprocessing
import os
import random
import selectors
import socket
import sqlite3
import sys
import time

TURNS = 6
# SQLite's sleeps are known by their lengths, and a timer may be late: each turn has a few of them.
DATABASE_TURNS = 24
HELD_S = 0.02

waits = []
# Who is at the other end is looked up a moment later.
open_until_the_end = []


def timed(kind, pid, wait, *arguments):
    begin = time.monotonic_ns()
    wait(*arguments)
    waits.append({"kind": kind, "pid": pid, "startNs": begin, "endNs": time.monotonic_ns()})


def forked(function, *arguments):
    pid = os.fork()
    if pid == 0:
        function(*arguments)
        os._exit(0)
    return pid


def feed(fd):
    for _ in range(TURNS):
        time.sleep(HELD_S)
        os.write(fd, b"x")


def drain(fd):
    while True:
        time.sleep(HELD_S)
        if not os.read(fd, 1 << 16):
            return


def answer(connection):
    while connection.recv(1):
        time.sleep(HELD_S)
        connection.send(b"x")


def serve(listener):
    answer(listener.accept()[0])


def pipes():
    read_end, write_end = os.pipe()
    pid = forked(feed, write_end)
    os.close(write_end)
    for _ in range(TURNS):
        timed("pipe read", pid, os.read, read_end, 1)
    read_end, write_end = os.pipe()

    def drain_own():
        os.close(write_end)
        drain(read_end)

    pid = forked(drain_own)
    os.close(read_end)
    for _ in range(TURNS):
        timed("pipe write", pid, os.write, write_end, bytes(1 << 17))
    os.close(write_end)


def fifo(folder):
    path = os.path.join(folder, "fifo")
    os.mkfifo(path)
    pid = forked(lambda: feed(os.open(path, os.O_WRONLY)))
    fd = os.open(path, os.O_RDONLY)
    for _ in range(TURNS):
        timed("fifo", pid, os.read, fd, 1)


def ask(kind, pid, connection):
    for _ in range(TURNS):
        connection.send(b"x")
        timed(kind, pid, connection.recv, 1)
    open_until_the_end.append(connection)


def listen():
    """Below the ports that the kernel gives to clients, as servers do."""
    while True:
        try:
            return socket.create_server(("127.0.0.1", random.randrange(20000, 32000)))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


def sockets():
    ours, theirs = socket.socketpair()

    def answer_own():
        ours.close()
        answer(theirs)

    pid = forked(answer_own)
    theirs.close()
    ask("unix", pid, ours)
    ports = {}
    for kind, timeout in (("tcp", None), ("tcp with timeout", 5)):
        listener = listen()
        pid = forked(serve, listener)
        ports[kind] = listener.getsockname()[1]
        listener.close()
        connection = socket.create_connection(("127.0.0.1", ports[kind]))
        connection.settimeout(timeout)
        ask(kind, pid, connection)
    ports["epoll"] = polled_server()
    return ports


def polled_server():
    """As asyncio asks: the thread waits for an epoll instance, which watches the connection."""
    listener = listen()
    pid = forked(serve, listener)
    port = listener.getsockname()[1]
    listener.close()
    connection = socket.create_connection(("127.0.0.1", port))
    epoll = selectors.EpollSelector()
    epoll.register(connection, selectors.EVENT_READ)
    for _ in range(TURNS):
        connection.send(b"x")
        timed("epoll", pid, epoll.select)
        connection.recv(1)
    open_until_the_end.extend([connection, epoll])
    return port


def take_turns(kind, acquire, release):
    """Two processes that hold a lock in turn; each sleeps with it."""
    here, there = os.pipe(), os.pipe()

    def holder():
        for _ in range(TURNS):
            acquire()
            os.write(there[1], b"x")  # we have it
            time.sleep(HELD_S)
            release()
            os.read(here[0], 1)  # they have had it

    pid = forked(holder)
    for _ in range(TURNS):
        os.read(there[0], 1)
        timed(kind, pid, acquire)
        release()
        os.write(here[1], b"x")
    os.waitpid(pid, 0)


def locks(folder):
    lock = multiprocessing.Lock()
    take_turns("semaphore", lock.acquire, lock.release)
    path = os.path.join(folder, "flocked")
    # Of an open file, not of a process: each needs its own.
    files = {}

    def own():
        return files.setdefault(os.getpid(), open(path, "w"))

    take_turns(
        "flock",
        lambda: fcntl.flock(own(), fcntl.LOCK_EX),
        lambda: fcntl.flock(own(), fcntl.LOCK_UN),
    )
    record = open(os.path.join(folder, "records"), "w")
    take_turns(
        "record lock",
        lambda: fcntl.lockf(record, fcntl.LOCK_EX, 10, 0),
        lambda: fcntl.lockf(record, fcntl.LOCK_UN, 10, 0),
    )


def write_rows(path):
    database = sqlite3.connect(path, timeout=10, isolation_level=None)
    for _ in range(DATABASE_TURNS):
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO row VALUES (1)")
        time.sleep(HELD_S)
        database.execute("COMMIT")
        time.sleep(1.5 * HELD_S)


def database(folder):
    path = os.path.join(folder, "rows.sqlite")
    sqlite3.connect(path).execute("CREATE TABLE row (value)")
    pid = forked(write_rows, path)
    timed("sqlite", pid, write_rows, path)
    os.waitpid(pid, 0)


def main():
    folder = sys.argv[1]
    pipes()
    fifo(folder)
    ports = sockets()
    locks(folder)
    database(folder)
    with open(os.environ["JOB_REPORT"], "w", encoding="utf8") as file:
        json.dump({"pid": os.getpid(), "ports": ports, "waits": waits}, file)


if __name__ == "__main__":
    main()
