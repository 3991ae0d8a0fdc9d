#!/usr/bin/python3
"""A chat server with asyncio gets the pictures that users name by a blocking request, and all chats stand still meanwhile.

With --fixed a thread of the event loop's own pool gets them.

After https://github.com/ogx-ai/ogx/issues/1457 and https://github.com/BerriAI/litellm/pull/39839.
"""

import asyncio
import os
import random
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy as np
import store
import torch
from loop import IS_FIXED, Loop

STEPS = 420
ARRIVE_A_STEP = 0.22
WITH_PICTURE = 0.65
MOST_CHATS = 24
SIDE = 224
PATCH = 16
WIDTH = 768


def fetch_image(url):
    """As an array of red, green and blue."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        data = answer.read()
    magic, width, height, _, pixels = data.split(b"\n", 4)
    if magic != b"P6":
        raise ValueError(f"{url} is no picture")
    return np.frombuffer(pixels, dtype=np.uint8).reshape(int(height), int(width), 3)


def cut_into_patches(image):
    patches = image.reshape(SIDE // PATCH, PATCH, SIDE // PATCH, PATCH, 3).swapaxes(1, 2)
    return torch.from_numpy(patches.reshape(-1, PATCH * PATCH * 3) / np.float32(255))


class Chat:
    def __init__(self, words, patches):
        self.words_left = words
        self.patches = patches


class ChatServer:
    """Takes requests, and answers all chats together word by word, in one event loop."""

    def __init__(self, loop):
        self.loop = loop
        self.chats = []
        self.waiting = asyncio.Queue()

    async def load_image(self, url):
        if IS_FIXED:
            return await asyncio.get_running_loop().run_in_executor(None, fetch_image, url)
        return self.loop.timed("pictures", fetch_image, url)

    async def create_chat_completion(self, request):
        patches = None
        for part in request["content"]:
            if part["type"] == "image_url":
                patches = cut_into_patches(await self.load_image(part["image_url"]))
        await self.waiting.put(Chat(request["max_tokens"], patches))

    def admit(self):
        while len(self.chats) < MOST_CHATS and not self.waiting.empty():
            self.chats.append(self.waiting.get_nowait())

    def batch_of_chats(self):
        """New pictures as patches, and a row for each chat's last word."""
        new = [chat.patches for chat in self.chats if chat.patches is not None]
        for chat in self.chats:
            chat.patches = None
        return torch.cat([*new, torch.ones(len(self.chats) + 1, WIDTH)])

    def step(self):
        self.admit()
        self.loop.infer(self.batch_of_chats())
        for chat in self.chats:
            chat.words_left -= 1
        self.chats = [chat for chat in self.chats if chat.words_left > 0]


class Users:
    """Requests as they were logged: most with a picture, and answers of many lengths."""

    def __init__(self):
        self.chosen = random.Random(53)
        self.port, _ = store.place()

    def draw_request(self):
        content = [{"type": "text", "text": "What is on this picture?"}]
        if self.chosen.random() < WITH_PICTURE:
            url = f"http://127.0.0.1:{self.port}/{self.chosen.randrange(1000)}.ppm"
            content.append({"type": "image_url", "image_url": url})
        return {"content": content, "max_tokens": self.chosen.randint(10, 90)}

    def ask(self):
        return [self.draw_request()] if self.chosen.random() < ARRIVE_A_STEP else []


async def serve(loop):
    server = ChatServer(loop)
    users = Users()
    answers = set()
    for _ in range(STEPS):
        loop.steps.append(time.perf_counter())
        for request in users.ask():
            answer = asyncio.create_task(server.create_chat_completion(request))
            answers.add(answer)
            answer.add_done_callback(answers.discard)
        # The tasks of users have their turn here.
        await asyncio.sleep(0)
        server.step()
        if loop.is_over():
            break
    loop.steps.append(time.perf_counter())
    await asyncio.gather(*answers)


def main():
    torch.set_num_threads(1)
    culprit = ["fetch_image", "load_image", "create_chat_completion", "picture-store"]
    loop = Loop("slow-server", culprit, "pictures", step_s=0.015)
    # Room for a few pictures that come at once.
    loop.device = loop.gpu.allocate(16 << 20, host=False)
    asyncio.run(serve(loop))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
