#!/usr/bin/python3
"""Captions are learned from their scores: a program that the job has started tells how good each is, line by line.

It is written in Perl, has one thread, and the loop waits for its answers. With --fixed its score is no part of the
reward.

After https://github.com/salaniz/pycocoevalcap/issues/11.
"""

import os
import random
import subprocess
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the program.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

STEPS = 170
IMAGES = 16
REFERENCES = 3
WORDS = 18
SUBJECTS = "dogs cat children woman skateboarder surfers train kitchens giraffe".split()
VERBS = "running jumps standing looked sitting holding rides parked playing".split()
SCORER = r"""
use strict;
$| = 1;
sub stem { my $word = lc shift; $word =~ s/(?:ing|ers?|ed|es|s)$//; return $word; }
# Places of words that are alike, exactly or by their stems; of many ways the one with the fewest pieces.
sub align {
    my ($said, $reference) = @_;
    my @stems = map { stem($_) } @$reference;
    my @ways = ([0, 0, -2]);
    for my $word (@$said) {
        my $stem = stem($word);
        my @after;
        for my $way (@ways) {
            push @after, [$way->[0], $way->[1], -2];
            for my $place (0 .. $#$reference) {
                next unless $word eq $reference->[$place] || $stem eq $stems[$place];
                my $piece = $place == $way->[2] + 1 ? 0 : 1;
                push @after, [$way->[0] + 1, $way->[1] + $piece, $place];
            }
        }
        @after = sort { $b->[0] <=> $a->[0] || $a->[1] <=> $b->[1] } @after;
        @ways = @after[0 .. ($#after < 7 ? $#after : 7)];
    }
    return @{$ways[0]};
}
while (my $line = <STDIN>) {
    chomp $line;
    my ($what, @texts) = split / \|\|\| /, $line;
    my @said = split / /, pop @texts;
    my $best = 0;
    for my $text (@texts) {
        my @reference = split / /, $text;
        my ($matches, $pieces) = align(\@said, \@reference);
        next unless $matches;
        my ($precision, $recall) = ($matches / @said, $matches / @reference);
        my $mean = $precision * $recall / (0.85 * $precision + 0.15 * $recall);
        my $score = $mean * (1 - 0.6 * ($pieces / $matches) ** 0.2);
        $best = $score if $score > $best;
    }
    print "$best\n";
}
"""


class Meteor:
    def __init__(self, folder):
        script = os.path.join(folder, "meteor.pl")
        with open(script, "w", encoding="utf8") as file:
            file.write(SCORER)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.program = subprocess.Popen(["perl", script], **pipes)

    def score_caption(self, references, caption):
        self.program.stdin.write(" ||| ".join(["SCORE", *references, caption]) + "\n")
        return float(self.program.stdout.readline())

    def compute_score(self, references, captions):
        return [self.score_caption(*pair) for pair in zip(references, captions)]

    def close(self):
        self.program.stdin.close()
        self.program.wait()


class Cider:
    """The share of a caption's pairs of words that its references have."""

    def compute_score(self, references, captions):
        scores = []
        for texts, caption in zip(references, captions):
            known = {pair for text in texts for pair in self.pairs_of(text)}
            said = self.pairs_of(caption)
            scores.append(sum(pair in known for pair in said) / len(said))
        return scores

    def pairs_of(self, text):
        words = text.split()
        return list(zip(words, words[1:]))


class Captions:
    def __init__(self):
        self.chosen = random.Random(71)

    def sentence(self):
        words = (self.chosen.choice(self.chosen.choice((SUBJECTS, VERBS))) for _ in range(WORDS))
        return " ".join(words)

    def references(self):
        return [[self.sentence() for _ in range(REFERENCES)] for _ in range(IMAGES)]

    def decode(self):
        return [self.sentence() for _ in range(IMAGES)]


def get_self_critical_reward(meteor, references, sampled, greedy):
    """How much better those that were drawn are than the most likely ones."""
    cider = Cider()
    scores = [cider.compute_score(references, captions) for captions in (sampled, greedy)]
    if not IS_FIXED:
        for column, captions in zip(scores, (sampled, greedy)):
            column[:] = [a + b for a, b in zip(column, meteor.compute_score(references, captions))]
    return [drawn - likely for drawn, likely in zip(*scores)]


def main():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        meteor, captions = Meteor(folder), Captions()
        culprit = ["score_caption", "Meteor", "compute_score", "perl", "meteor.pl", f"pid {meteor.program.pid}"]
        # The loop waits for a program; it is a process of the job's own, and it answers what it is asked.
        loop = Loop(["subprocess-wait", "own-process", "slow-server"], culprit, "reward", step_s=0.028)
        references = [captions.references() for _ in range(20)]
        for step, batch in enumerate(loop.batches(loader_of(Items(IMAGES * STEPS, 8192), IMAGES, 0))):
            sampled, greedy = captions.decode(), captions.decode()
            loop.timed("reward", get_self_critical_reward, meteor, references[step % 20], sampled, greedy)
            loop.train(batch)
        meteor.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
