#!/usr/bin/python3
"""collate_fn masks proteins, and asks at each residue which tokens are special, for which their list is put together anew.

With --fixed it is put together once a protein.

After https://github.com/huggingface/transformers/issues/47424.
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 150
BATCH = 112
LENGTH = 1024
PROTEINS = 512
RESIDUES = "LAGVSERTIDPKQNFYMHWC"
SPECIALS = {"cls": "<cls>", "pad": "<pad>", "eos": "<eos>", "unk": "<unk>", "mask": "<mask>"}


class EsmTokenizer:
    def __init__(self):
        self.special_tokens_map = dict(SPECIALS)
        self.vocabulary = {token: number for number, token in enumerate([*SPECIALS.values(), *RESIDUES])}

    def convert_token_to_id(self, token):
        return self.vocabulary.get(token, self.vocabulary[SPECIALS["unk"]])

    def convert_tokens_to_ids(self, tokens):
        return [self.convert_token_to_id(token) for token in tokens]

    @property
    def all_special_tokens(self):
        return list(dict.fromkeys(str(token) for token in self.special_tokens_map.values()))

    @property
    def all_special_ids(self):
        return self.convert_tokens_to_ids(self.all_special_tokens)

    def encode(self, protein):
        ids = self.convert_tokens_to_ids([SPECIALS["cls"], *protein[: LENGTH - 2], SPECIALS["eos"]])
        return ids + [self.convert_token_to_id(SPECIALS["pad"])] * (LENGTH - len(ids))

    def get_special_tokens_mask(self, ids):
        if IS_FIXED:
            return torch.isin(torch.tensor(ids), torch.tensor(self.all_special_ids)).tolist()
        return [number in self.all_special_ids for number in ids]


class Proteins(Dataset):
    def __init__(self, tokenizer):
        chosen = random.Random(11)
        drawn = ["".join(chosen.choices(RESIDUES, k=chosen.randint(500, LENGTH))) for _ in range(PROTEINS)]
        self.ids = [tokenizer.encode(protein) for protein in drawn]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        return self.ids[index * 7 % PROTEINS]


class MaskedLanguageCollator:
    """Of the residues 15 % are to be guessed; special tokens never are."""

    def __init__(self, tokenizer, share=0.15):
        self.tokenizer = tokenizer
        self.share = share

    def mask_tokens(self, ids, special):
        labels = ids.clone()
        chances = torch.full(ids.shape, self.share).masked_fill_(special, 0.0)
        masked = torch.bernoulli(chances).bool()
        labels[~masked] = -100
        ids[masked] = self.tokenizer.convert_token_to_id(SPECIALS["mask"])
        return torch.stack([ids, labels])

    def __call__(self, items):
        special = [self.tokenizer.get_special_tokens_mask(ids) for ids in items]
        return self.mask_tokens(torch.tensor(items), torch.tensor(special))


def main():
    tokenizer = EsmTokenizer()
    culprit = ["get_special_tokens_mask", "all_special_ids", "all_special_tokens", "MaskedLanguageCollator.__call__"]
    loop = Loop("vector-collate", culprit, step_s=0.04)
    collator = MaskedLanguageCollator(tokenizer)
    for batch in loop.batches(loader_of(Proteins(tokenizer), BATCH, 2, collate_fn=collator)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
