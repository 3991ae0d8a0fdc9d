#!/usr/bin/python3
"""Asks the job for its metrics, and again 0.3 s after each answer."""

import http.client
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready

SCRAPE_INTERVAL_S = 0.3


def scrape(address):
    connection = http.client.HTTPConnection(*address)
    connection.request("GET", "/metrics")
    connection.getresponse().read()
    connection.close()


def main():
    end_with_parent()
    be_called("prometheus")
    say_ready(sys.argv[1])
    port = os.path.join(sys.argv[1], "port")
    while not os.path.exists(port):
        time.sleep(0.05)
    with open(port, encoding="utf8") as file:
        address = ("127.0.0.1", int(file.read()))
    while True:
        try:
            scrape(address)
        except OSError:
            # The job has ended.
            time.sleep(0.1)
        time.sleep(SCRAPE_INTERVAL_S)


if __name__ == "__main__":
    main()
