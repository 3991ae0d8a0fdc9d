#!/usr/bin/python3
"""Threads that stand still in known places, and what Python itself says of each.

One line of JSON a thread, to JOB_REPORT: its tid and frames, leaf first. A place is one line of
source, so that it is the same whether the thread has just said where it is or waits. Runs under every
Python from 3.8 on. Ends after the seconds given.
"""

import ctypes
import json
import os
import select
import sys
import threading
import time

libc = ctypes.CDLL(None)
write = threading.Lock()
report = open(os.environ['JOB_REPORT'], 'w')
GIVEN_UP = 1 << 30


def qualified(code):
    return getattr(code, 'co_qualname', code.co_name)


def say(turn, place):
    """Where the caller is, the first time."""
    if turn:
        return
    frames = []
    frame = sys._getframe(1)
    while frame:
        frames.append([qualified(frame.f_code), frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    with write:
        print(json.dumps({'place': place, 'tid': threading.get_native_id(), 'frames': frames}), file=report, flush=True)


def sleep():
    for turn in range(GIVEN_UP): say(turn, 'sleep'); time.sleep(0.02)


def without_lock(call=libc.usleep):
    try:
        for turn in range(GIVEN_UP): say(turn, 'ctypes'); call(20000)
    finally:
        raise SystemExit


class Loader:
    class Nested:
        def wait(self):
            readable = []
            with open('/dev/null') as f:
                for turn in range(GIVEN_UP): say(turn, 'select'); select.select(readable, [], [], 0.02)

    def items(self):
        yield 1
        self.Nested(
        ).wait()
        yield 2

    def __call__(self):
        return [
            item
            for item in
            self.items()
        ]


def recurse(depth):
    if depth:
        return (
            depth
            + recurse(depth - 1)
        )
    sleep_deep()


def sleep_deep():
    for turn in range(GIVEN_UP): say(turn, 'deep'); time.sleep(0.02)


def wait_for_lock():
    def closure():
        lock = threading.Lock()
        lock.acquire()

        def wait():
            for turn in range(GIVEN_UP): say(turn, 'lock'); lock.acquire(timeout=0.02)
        first = lambda: wait() and None
        return first(

        )
    return closure()


# Names and files of every width that Python stores text in.
SOURCE = '''
import time
def {name}(say, n):
    if n > 3000:
        for turn in range(n): say(turn, {place!r}); time.sleep(0.02)
{filler}
    {name}(say,
        n + 1)
'''


def texts(name, file):
    filler = '\n'.join('    n = n + 1; n = n - 1' for _ in range(300)) + '\n' * 700
    scope = {}
    exec(compile(SOURCE.format(name=name, place=name, filler=filler), file, 'exec'), scope)
    scope[name](say, 2999)


def big_table():
    """Lines beyond what one byte of the table can hold, forwards and backwards."""
    source = 'def jump(say, sleep):\n' + '\n' * 900 + '    (sleep\n' + '\n' * 400 + ')\n'
    source += '    for turn in range(1 << 30): say(turn, "jump"); sleep(0.02)\n'
    scope = {}
    exec(compile(source, '/nowhere/jump.py', 'exec'), scope)
    scope['jump'](say, time.sleep)


places = [
    sleep,
    without_lock,
    Loader(),
    lambda: recurse(60),
    wait_for_lock,
    big_table,
    lambda: texts('latín', '/tmp/ñ/bücher.py'),
    lambda: texts('имя', '/tmp/файл.py'),
    lambda: texts('数据', '/tmp/\U0001f40d.py'),
]
threads = [threading.Thread(target=place, daemon=True) for place in places]
for thread in threads:
    thread.start()


def main(turns):
    for turn in range(turns): say(turn, 'main'); time.sleep(0.02)


main(int(sys.argv[1]) * 50)
os._exit(0)
