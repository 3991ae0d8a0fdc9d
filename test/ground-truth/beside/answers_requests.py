#!/usr/bin/python3
"""Sends requests to the server of the job, with pauses of users who read the answer first."""

import http.client
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import end_with_parent, say_ready

random.seed(1)


def main():
    end_with_parent()
    say_ready(sys.argv[1])
    port = os.path.join(sys.argv[1], "port")
    while not os.path.exists(port):
        time.sleep(0.02)
    with open(port, encoding="utf8") as file:
        address = ("127.0.0.1", int(file.read()))
    while True:
        time.sleep(random.expovariate(1 / 0.02))
        try:
            connection = http.client.HTTPConnection(*address)
            connection.request("POST", "/predict", bytes(4096))
            connection.getresponse().read()
        except OSError:
            # The job has answered all it wanted to.
            time.sleep(0.05)


if __name__ == "__main__":
    main()
