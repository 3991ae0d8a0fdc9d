#!/usr/bin/python3
"""Protein design: collate_fn looks which residues touch another chain, pair by pair in Python, and masks those.

With --fixed the masks were made with the data set.

After https://github.com/adaptyvbio/ProteinFlow/pull/87, which moves them there.
"""

import math
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

COMPLEXES = 100
EPOCHS = 14
BATCH = 16
# Residues are masked that are nearer to another chain than that, in Å.
TOUCHING = 8.0
LONGEST = 512
ATOMS = 4


def fold_chain(chosen, residues, centre):
    """Places of a chain's residues: a walk that stays around `centre`."""
    places = numpy.zeros((residues, 3))
    for number in range(1, residues):
        step = chosen.normal(0, 1, 3)
        places[number] = places[number - 1] * 0.98 + 3.8 * step / numpy.linalg.norm(step)
    return places + centre


def interface_mask(chains):
    masks = []
    for number, chain in enumerate(chains):
        others = [place for other, places in enumerate(chains) if other != number for place in places]
        masks.append([any(math.dist(place, other) < TOUCHING for other in others) for place in chain])
    return [is_masked for mask in masks for is_masked in mask]


class ProteinEntry:
    def __init__(self, chosen):
        centres = ((0, 0, 0), (42, 0, 0), (0, 48, 0))
        folded = [fold_chain(chosen, int(chosen.integers(108, 160)), centre) for centre in centres]
        self.chains = [chain.tolist() for chain in folded]
        self.places = torch.from_numpy(numpy.concatenate(folded).astype(numpy.float32))
        self.atoms = self.places[:, None] + torch.randn(len(self.places), ATOMS, 3)
        self.mask = interface_mask(self.chains) if IS_FIXED else None


class ProteinDataset(Dataset):
    def __init__(self):
        chosen = numpy.random.default_rng(23)
        self.entries = [ProteinEntry(chosen) for _ in range(COMPLEXES)]

    def __len__(self):
        return COMPLEXES * EPOCHS

    def __getitem__(self, index):
        return self.entries[index % COMPLEXES]


class PadCollate:
    def choose_masked(self, entry):
        return entry.mask if IS_FIXED else interface_mask(entry.chains)

    def __call__(self, entries):
        """Places of atoms by residue, those of masked ones at 0, and a last row that says which are masked."""
        batch = torch.zeros(len(entries), LONGEST, ATOMS + 1, 3)
        for residues, entry in zip(batch, entries):
            masked = torch.tensor(self.choose_masked(entry))
            residues[: len(masked), :ATOMS] = entry.atoms
            residues[: len(masked)][masked] = 0
            residues[: len(masked), ATOMS] = masked[:, None].float()
        return batch


def main():
    culprit = ["interface_mask", "choose_masked", "PadCollate.__call__"]
    loop = Loop("vector-collate", culprit, step_s=0.06)
    for residues in loop.batches(loader_of(ProteinDataset(), BATCH, 2, collate_fn=PadCollate())):
        loop.train(residues)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
