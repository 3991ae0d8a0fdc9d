"""What the scripts of beside/ share."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15


def end_with_parent():
    """A pass that is killed ends nobody: none may go on without it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def be_called(name):
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def say_ready(folder, text=""):
    part = os.path.join(folder, "ready.part")
    with open(part, "w", encoding="utf8") as file:
        file.write(text)
    os.rename(part, os.path.join(folder, "ready"))
