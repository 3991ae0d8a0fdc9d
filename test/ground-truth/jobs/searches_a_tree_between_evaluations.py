#!/usr/bin/python3
"""Self-play: between two evaluations Python walks down the search tree of each game, and scores each child twice.

Trees grow until the move is chosen. With --fixed all of them are arrays, which are walked down at once.

After https://github.com/werner-duvaud/muzero-general/pull/172.
"""

import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

GAMES = 48
ACTIONS = 96
SIMULATIONS = 32
MOVES = 4
PB_C_BASE = 19652
PB_C_INIT = 1.25
DISCOUNT = 0.997


class Node:
    def __init__(self, prior):
        self.prior = prior
        self.visit_count = 0
        self.value_sum = 0.0
        self.reward = 0.0
        self.children = {}

    def expanded(self):
        return bool(self.children)

    def value(self):
        return self.value_sum / self.visit_count if self.visit_count else 0.0

    def expand(self, priors, reward):
        self.reward = reward
        self.children = {action: Node(prior) for action, prior in enumerate(priors)}


class MinMaxStats:
    def __init__(self):
        self.maximum = -math.inf
        self.minimum = math.inf

    def update(self, value):
        self.maximum = max(self.maximum, value)
        self.minimum = min(self.minimum, value)

    def normalize(self, value):
        if self.maximum > self.minimum:
            return (value - self.minimum) / (self.maximum - self.minimum)
        return value


class MCTS:
    """The search of one game's next move."""

    def __init__(self, priors):
        self.root = Node(0.0)
        self.root.expand(priors, 0.0)
        self.stats = MinMaxStats()
        self.path = []

    def ucb_score(self, parent, child):
        pb_c = math.log((parent.visit_count + PB_C_BASE + 1) / PB_C_BASE) + PB_C_INIT
        pb_c *= math.sqrt(parent.visit_count) / (child.visit_count + 1)
        value_score = self.stats.normalize(child.reward + DISCOUNT * child.value()) if child.visit_count else 0.0
        return pb_c * child.prior + value_score

    def select_child(self, node):
        max_ucb = max(self.ucb_score(node, child) for child in node.children.values())
        best = [action for action, child in node.children.items() if self.ucb_score(node, child) == max_ucb]
        action = random.choice(best)
        return action, node.children[action]

    def select_leaf(self):
        node = self.root
        self.path = [node]
        actions = []
        while node.expanded():
            action, node = self.select_child(node)
            self.path.append(node)
            actions.append(action)
        return actions[-1], len(actions)

    def backpropagate(self, value):
        for node in reversed(self.path):
            node.value_sum += value
            node.visit_count += 1
            self.stats.update(node.reward + DISCOUNT * node.value())
            value = node.reward + DISCOUNT * value


class PythonTrees:
    """One tree of objects for each game."""

    def __init__(self, priors):
        self.trees = [MCTS(row.tolist()) for row in priors]

    def select_leaves(self):
        return numpy.array([tree.select_leaf() for tree in self.trees])

    def backpropagate_all(self, priors, rewards, values):
        for tree, row, reward, value in zip(self.trees, priors.tolist(), rewards.tolist(), values.tolist()):
            tree.path[-1].expand(row, reward)
            tree.backpropagate(value)


class ArrayTrees:
    """The trees of all games: a row a game, a column a node, which has a place for each action."""

    def __init__(self, priors):
        shape = (GAMES, SIMULATIONS + 2, ACTIONS)
        self.prior = numpy.zeros(shape)
        self.prior[:, 0] = priors
        self.visits, self.value_sum, self.reward = numpy.zeros(shape), numpy.zeros(shape), numpy.zeros(shape)
        self.child = numpy.zeros(shape, dtype=numpy.int64)
        self.low, self.high = numpy.full((GAMES, 1), math.inf), numpy.full((GAMES, 1), -math.inf)
        self.games = numpy.arange(GAMES)
        self.nodes = 1
        self.path = []

    def normalize(self, values):
        span = self.high - self.low
        return numpy.where(span > 0, (values - self.low) / numpy.where(span > 0, span, 1.0), values)

    def score_actions(self, node):
        visits = self.visits[self.games, node]
        total = visits.sum(1, keepdims=True) + 1
        scale = (numpy.log((total + PB_C_BASE + 1) / PB_C_BASE) + PB_C_INIT) * numpy.sqrt(total)
        means = self.value_sum[self.games, node] / numpy.maximum(visits, 1)
        values = self.normalize(self.reward[self.games, node] + DISCOUNT * means)
        return scale / (visits + 1) * self.prior[self.games, node] + values * (visits > 0)

    def select_leaves(self):
        node = numpy.zeros(GAMES, dtype=numpy.int64)
        going = numpy.ones(GAMES, dtype=bool)
        last, depth = numpy.zeros(GAMES, dtype=numpy.int64), numpy.zeros(GAMES, dtype=numpy.int64)
        self.path = []
        while going.any():
            action = self.score_actions(node).argmax(1)
            self.path.append((node, action, going))
            last, depth = numpy.where(going, action, last), depth + going
            node = numpy.where(going, self.child[self.games, node, action], node)
            going = going & (node > 0)
        return numpy.stack([last, depth], 1)

    def backpropagate_all(self, priors, rewards, values):
        self.prior[:, self.nodes] = priors
        for node, action, going in reversed(self.path):
            at = (self.games[going], node[going], action[going])
            fresh = self.child[at] == 0
            self.child[at] = numpy.where(fresh, self.nodes, self.child[at])
            self.reward[at] = numpy.where(fresh, rewards[going], self.reward[at])
            self.value_sum[at] += values[going]
            self.visits[at] += 1
            seen = self.reward[at] + DISCOUNT * self.value_sum[at] / self.visits[at]
            self.low[going, 0] = numpy.minimum(self.low[going, 0], seen)
            self.high[going, 0] = numpy.maximum(self.high[going, 0], seen)
            values[going] = self.reward[at] + DISCOUNT * values[going]
        self.nodes += 1


class Network:
    """What the GPU would say of a position: priors, reward and value are drawn for it."""

    def __init__(self, loop):
        self.loop = loop
        self.drawn = numpy.random.default_rng(17)

    def draw_priors(self):
        return self.drawn.dirichlet(numpy.full(ACTIONS, 0.3), GAMES)

    def recurrent_inference(self, states, leaves):
        states[:, :2] = torch.from_numpy(leaves)
        self.loop.infer(states)
        return self.draw_priors(), self.drawn.normal(0, 0.1, GAMES), self.drawn.uniform(-1, 1, GAMES)


def main():
    culprit = ["select_child", "ucb_score", "select_leaf", "select_leaves", "backpropagate", "MCTS"]
    loop = Loop("host-work", culprit, "search", step_s=0.07)
    network = Network(loop)
    make_trees = ArrayTrees if IS_FIXED else PythonTrees
    torch.set_num_threads(1)
    for number, states in enumerate(loop.batches(torch.zeros(MOVES * SIMULATIONS, GAMES, 1024))):
        if number % SIMULATIONS == 0:
            trees = make_trees(network.draw_priors())
        leaves = loop.timed("search", trees.select_leaves)
        answer = network.recurrent_inference(states, leaves)
        loop.timed("search", trees.backpropagate_all, *answer)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
