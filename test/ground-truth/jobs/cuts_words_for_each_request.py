#!/usr/bin/python3
"""A server cuts each text into words and numbers in the thread that then asks the GPU. With --fixed users send numbers.

After https://github.com/vllm-project/vllm/issues/25301.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from model_server import serve

REQUESTS = 300
LENGTH = 8192
WORD = re.compile(r"[a-z]+|[0-9]|[^\sa-z0-9]")


def number_words(text):
    numbers = []
    for word in WORD.findall(text.decode().lower()):
        number = 0
        for letter in word:
            number = (31 * number + ord(letter)) % 50_000
        numbers.append(number)
    return torch.tensor(numbers[:LENGTH] + [0] * (LENGTH - len(numbers)), dtype=torch.int32)


def main():
    torch.set_num_threads(1)
    ids = ["host-data-movement", "host-work"]
    loop = Loop(ids, "number_words", "numbering", verdicts=["serving"], step_s=0.008)

    def answer(body):
        if IS_FIXED:
            numbers = torch.frombuffer(bytearray(body), dtype=torch.int32)
        else:
            numbers = loop.timed("numbering", number_words, body)
        loop.infer(numbers)

    serve(loop, answer, REQUESTS)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
