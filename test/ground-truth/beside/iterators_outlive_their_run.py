#!/usr/bin/python3
"""What a run left behind that was killed: its iterators go on drawing showers that nobody takes.

With --fixed they ended with it.
"""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready
from showers import draw_shower, make_image

ITERATORS = 8


def iterate_for_ever(number):
    be_called("shower-prefetch")
    while True:
        make_image(*draw_shower(number))


def main():
    end_with_parent()
    children = []
    for number in range(0 if "--fixed" in sys.argv else ITERATORS):
        child = os.fork()
        if child == 0:
            end_with_parent()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            iterate_for_ever(number)
        children.append(child)
    say_ready(sys.argv[1])
    signal.sigwait([signal.SIGTERM])
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
