#!/usr/bin/python3
"""Every 12 steps the adapter is saved into its repository, and the loop waits until git has added and committed it.

With --fixed git does so beside the training.

After https://github.com/huggingface/sentence-transformers/pull/1629 and https://github.com/huggingface/transformers/pull/16409.
"""

import os
import shutil
import subprocess
import sys
import tempfile

# A wait that spins would keep one of two CPUs from git.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 240
SAVE_EVERY = 12
LAYERS = 12
RANK = 128
WIDTH = 768


class Repository:
    """A clone, and git as a program."""

    def __init__(self, folder):
        self.folder = folder
        self.pushing = None
        who = {"GIT_AUTHOR_NAME": "trainer", "GIT_AUTHOR_EMAIL": "trainer@localhost"}
        whose = {"GIT_COMMITTER_NAME": "trainer", "GIT_COMMITTER_EMAIL": "trainer@localhost"}
        self.environment = {**os.environ, **who, **whose, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        self.git("init", "--quiet")
        # Nothing that git starts may outlive the job.
        self.git("config", "gc.auto", "0")
        self.git("config", "maintenance.auto", "false")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=True, capture_output=True)

    def git_add(self):
        self.git("add", "--all")

    def git_commit(self, message):
        self.git("commit", "--quiet", "--message", message)

    def push_to_hub(self, message, blocking):
        if blocking:
            self.git_add()
            self.git_commit(message)
        elif not self.is_pushing():
            command = f"git add --all && git commit --quiet --message '{message}'"
            self.pushing = subprocess.Popen(["sh", "-c", command], cwd=self.folder, env=self.environment)

    def is_pushing(self):
        return self.pushing is not None and self.pushing.poll() is None

    def finish(self):
        if self.pushing is not None:
            self.pushing.wait()


class LoraAdapter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.down = torch.nn.ModuleList(torch.nn.Linear(WIDTH, RANK, bias=False) for _ in range(LAYERS))
        self.up = torch.nn.ModuleList(torch.nn.Linear(RANK, WIDTH, bias=False) for _ in range(LAYERS))

    @torch.no_grad()
    def learn(self, rate):
        for parameter in self.parameters():
            parameter.mul_(1 - rate)


class SaveAdapter:
    part = "saving"

    def __init__(self, repository):
        self.folder = repository.folder
        self.adapter = LoraAdapter()

    def write_card(self, step):
        with open(os.path.join(self.folder, "README.md"), "w", encoding="utf8") as file:
            file.write(f"---\ntags: [generated_from_trainer]\n---\n\n# Adapter\n\nTrained for {step} steps.\n")

    def after_step(self, trainer):
        if trainer.step % SAVE_EVERY == 0:
            self.adapter.learn(1e-3)
            # Git may be reading the last one.
            new = os.path.join(self.folder, ".git", "adapter_model.new")
            torch.save(self.adapter.state_dict(), new)
            os.replace(new, os.path.join(self.folder, "adapter_model.bin"))
            self.write_card(trainer.step)


class PushToHub:
    part = "git"

    def __init__(self, repository):
        self.repository = repository

    def after_step(self, trainer):
        if trainer.step % SAVE_EVERY == 0:
            self.repository.push_to_hub(f"Training in progress, step {trainer.step}", blocking=not IS_FIXED)


def main():
    if shutil.which("git") is None:
        print("needs git", file=sys.stderr)
        sys.exit(77)
    culprit = ["git", "git_add", "git_commit", "push_to_hub", "Repository.git"]
    loop = Loop(["subprocess-wait", "checkpoint"], culprit, "git", step_s=0.028)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="clone-") as folder:
        repository = Repository(folder)
        callbacks = [SaveAdapter(repository), PushToHub(repository)]
        Trainer(loop, loader_of(Items(16 * STEPS, 2048), 16, 1), callbacks).fit()
        repository.finish()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
