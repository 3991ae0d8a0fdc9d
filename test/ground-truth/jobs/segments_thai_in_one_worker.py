#!/usr/bin/python3
"""Three workers read the corpus of a language each; Thai has no spaces, and the third worker has to find its words.

It looks for them in a dictionary, in Python, and is waited for in every round; the others stand ready. With --fixed all
corpora were turned into numbers beforehand.

After https://github.com/PyThaiNLP/pythainlp/issues/121, of an engine that takes long to find words.
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

BATCH = 120
BATCHES_A_LANGUAGE = 80
TOKENS = 1024
DOCUMENTS = 20
WORDS_A_DOCUMENT = 700
WORDS = {
    "de": "der Zug hält am Bahnhof und die Kinder warten auf ihre Großmutter seit gestern Abend im Regen".split(),
    "fr": "le train arrive à la gare où les enfants attendent leur mère depuis hier soir sous la pluie".split(),
    "th": "รถไฟ หยุด ที่ สถานี เด็ก รอ ยาย ของ เขา ตั้งแต่ เมื่อวาน ตอน เย็น ใน ฝน แม่ น้ำ ตา กลม บ้าน".split(),
}


class ThaiDictionary:
    """A tree of letters; a word ends where the empty string is."""

    def __init__(self, words):
        self.root = {}
        for word in words:
            self.add(word)
        # Two words may be one as well.
        for first in words:
            for second in words:
                self.add(first + second)

    def add(self, word):
        node = self.root
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = True

    def ends_from(self, text, begin):
        """Where the words that begin there end; where there is none, after one letter."""
        node = self.root
        ends = []
        for at in range(begin, len(text)):
            node = node.get(text[at])
            if node is None:
                break
            if "" in node:
                ends.append(at + 1)
        return ends or [begin + 1]

    def segment_thai(self, text):
        """The way through `text` with the fewest words."""
        fewest = [0] + [len(text) + 1] * len(text)
        came_from = [0] * (len(text) + 1)
        for begin in range(len(text)):
            for end in self.ends_from(text, begin):
                if fewest[begin] + 1 < fewest[end]:
                    fewest[end] = fewest[begin] + 1
                    came_from[end] = begin
        words = []
        end = len(text)
        while end:
            words.append(text[came_from[end] : end])
            end = came_from[end]
        return words[::-1]


class Corpora(IterableDataset):
    """Each worker reads every third language, and there are three."""

    def __init__(self):
        self.thai = ThaiDictionary(WORDS["th"])
        self.documents = {language: self.write_corpus(language) for language in WORDS}
        self.numbered = {
            language: [self.numbers_of(language, text) for text in texts]
            for language, texts in self.documents.items()
            if IS_FIXED
        }

    def write_corpus(self, language):
        chosen = random.Random(language)
        between = "" if language == "th" else " "
        return [between.join(chosen.choices(WORDS[language], k=WORDS_A_DOCUMENT)) for _ in range(DOCUMENTS)]

    def words_of(self, language, text):
        return self.thai.segment_thai(text) if language == "th" else text.split()

    def numbers_of(self, language, text):
        words = self.words_of(language, text)
        numbers = torch.zeros(TOKENS, dtype=torch.int64)
        numbers[: len(words)] = torch.tensor([hash(word) % 32_000 for word in words])
        return numbers

    def __iter__(self):
        worker = get_worker_info()
        for language in list(WORDS)[worker.id :: worker.num_workers]:
            for number in range(BATCHES_A_LANGUAGE * BATCH):
                document = number % DOCUMENTS
                if IS_FIXED:
                    yield self.numbered[language][document]
                else:
                    yield self.numbers_of(language, self.documents[language][document])


def main():
    culprit = ["segment_thai", "ends_from", "ThaiDictionary", "words_of"]
    loop = Loop(["head-of-line", "slow-getitem", "pretokenize"], culprit, step_s=0.025)
    for batch in loop.batches(loader_of(Corpora(), BATCH, 3)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
