import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { awaitedFile } from '../../threads/awaited-file.ts';
import { clearCulprit, serverName } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, inputCell, makersOf, production } from '../facts/loader-work.ts';
import { type PeerWaits, peerWaits } from '../facts/peer-waits.ts';
import { WHOLE_BATCHES, wholeBatches } from '../fixes/loader-fix.ts';
import { type Feeders, feederFix, feedersOf } from '../judging/fed-by-programs.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { inLoaderAndLoop } from '../judging/loader-and-loop.ts';
import { judgeLoopServer } from '../judging/loop-server.ts';
import { completeSwitches, waitedIn } from '../judging/needs.ts';
import {
  eachWait,
  isForRoom,
  networkOf,
  orFaster,
  otherPeers,
  peerDid,
} from '../judging/peer-words.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * Less waiting for a batch is no slow answer: “How to Debug Slow PyTorch Dataloaders” calls a sample slow from 1 to 2 ms
 * on, and a batch has at least one.
 */
const SLOW_BATCH_NS = 2e6;

/** Who waits in epoll waits for any of what its epoll instance watches. */
const LOOKED_UP =
  ': of what the workers’ epoll instances watched, nothing else can have ended them';

/** Making a batch, or a step of the loop, means waiting for a server, or for another process. */
export const slowServer: Rule = { id: 'slow-server', needs: [completeSwitches, waitedIn], judge };

function judge(facts: RankFacts): Judgement | undefined {
  return inLoaderAndLoop(facts, judgeLoader(facts), judgeLoopServer(facts));
}

function judgeLoader(facts: RankFacts): Judgement | undefined {
  const all = peerWaits(facts);
  const [longest, ...others] = all;
  if (longest === undefined) return undefined;
  const { feeders: waits, rest } = feedersOf(facts, [longest, ...others]);
  const claims = inputCell(facts.workers.length > 0 ? 'worker' : 'main', 'sleeping');
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns) || !isMost(facts, all, ns)) return undefined;
  const { text: peers, kind, rows, basis } = waits;
  const waited = waitedText(facts, waits);
  const each = eachWait(facts, waits);
  const network = networkOf(facts, waits);
  const did = peerDid(facts, waits);
  const otherwise = orFaster(waits, did, network);
  const more = [...network.facts.map(({ text }) => text), ...(did === undefined ? [] : [did])];
  const culprit = clearCulprit(
    all.map((one) => ({ name: serverName(facts.trace, one.peer), ns: one.ns })),
  );
  return {
    title: kind === 'socket' ? `Batches wait for a server: ${peers}` : `Batches wait for ${peers}`,
    ...(culprit !== undefined && { culprit }),
    sentence: `${waited}: ${each.text}. The training loop waited ${formatDuration(ns)} for that.${more.map((text) => ` ${text}.`).join('')}`,
    confidence: basis === 'exact' ? 'proven' : 'likely',
    evidence: [
      evidence(`${waited}${basis === 'exact' ? '' : LOOKED_UP}`, basis, refsTo('off_cpu', rows)),
      each,
      ...network.facts,
      ...(did === undefined ? [] : [evidence(did, 'inferred', refsTo('off_cpu', rows))]),
      ...otherPeers(facts, rest),
    ],
    hotThreads: makersOf(facts),
    claims,
    gain: { reach: 'waits' },
    fix: fixOf(facts, waits, otherwise),
    chain: {
      system: each,
      host: evidence(
        waitOf(facts, ns, `waited for batches that waited for ${peers}`),
        basis,
        events,
      ),
      cuda: idleDevice(facts, claims),
    },
  };
}

function fixOf(facts: RankFacts, waits: Feeders, otherwise: string): Fix {
  if (waits.kind === 'process') return opensFix(waits.text);
  if (waits.kind === 'socket') return fixFor(otherwise);
  return isForRoom(facts.trace, waits.rows)
    ? writersFix(waits.text, otherwise)
    : feederFix(facts, waits, otherwise);
}

/** Something looks at each file before it is opened. */
function opensFix(peers: string): Fix {
  return {
    title: `Exclude the data folder from what ${peers} looks at, or open fewer files`,
    text: 'The kernel asks it before each file is opened, and the worker waits for its answer. Virus scanners and tools that keep a record of accesses do that (fanotify), and file systems that a program provides (FUSE). Most can leave out a folder. Samples that lie in one file, which stays open, are asked for once: below, arrays of one shape in one array.',
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_files)

    def __getitem__(self, index):
        return your_sample(your_read(your_files[index]))  # opened for each sample`,
    after: `import numpy as np
from torch.utils.data import Dataset

first = your_read(your_files[0])
packed = np.lib.format.open_memmap("packed.npy", "w+", first.dtype, (len(your_files), *first.shape))
for index, file in enumerate(your_files):  # once, before training, in the same order
    packed[index] = your_read(file)

class YourDataset(Dataset):
    def __init__(self):
        self.rows = np.load("packed.npy", mmap_mode="r")  # opened once

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return your_sample(self.rows[index].copy())`,
    language: 'python',
    sources: [
      { title: 'fanotify(7)', url: 'https://man7.org/linux/man-pages/man7/fanotify.7.html' },
    ],
  };
}

/** The workers write to a pipe that is read too slowly. */
function writersFix(peers: string, otherwise: string): Fix {
  return {
    title: `Have the workers write less to what ${peers} reads`,
    text: `A pipe holds 64 KiB. When it is full, whoever writes waits until the other side has read: each line that a worker prints then costs the time of its reader. Print one line in a thousand, or let each worker write to a file of its own. ${otherwise}`,
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        print(f"sample {index}: {your_inputs[index]}", flush=True)
        return your_prepare(your_inputs[index])`,
    after: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        if index % 1000 == 0:  # one line in a thousand
            print(f"sample {index}: {your_inputs[index]}", flush=True)
        return your_prepare(your_inputs[index])`,
    language: 'python',
    sources: [
      {
        title: 'Linux: pipe(7), pipe capacity',
        url: 'https://man7.org/linux/man-pages/man7/pipe.7.html',
      },
    ],
  };
}

/** Whether most of what the makers of batches slept was for others outside of the loader, and long. */
function isMost(facts: RankFacts, all: readonly PeerWaits[], claimedNs: number): boolean {
  const { byCause, batches } = production(facts);
  const sleptNs = facts.workers.length > 0 ? byCause.sleeping : claimedNs;
  const waitedNs = all.reduce((sum, { ns }) => sum + ns, 0);
  return waitedNs >= sleptNs * DOMINANT_SHARE && waitedNs >= batches * SLOW_BATCH_NS;
}

function waitedText(facts: RankFacts, { text, kind, ns, rows }: Feeders): string {
  const made = production(facts).ns;
  const file = awaitedFile(facts.trace, rows[0]);
  const feeds = kind === 'pipe' && file?.name.startsWith('/') ? `, which feeds ${file.name}` : '';
  if (made === 0) return `The training process waited ${formatDuration(ns)} for ${text}${feeds}`;
  const share = formatShare(Math.min(ns, made), made);
  return `The workers waited ${formatDuration(ns)} in all (${share} of the making of batches) for ${text}${feeds}`;
}

function fixFor(otherwise: string): Fix {
  return {
    title: 'Ask for a whole batch at once, or keep a copy nearby',
    text: `Each request takes its time, however small the answer: ask for all samples of a batch in one, or for several at a time, and keep the connection. ${WHOLE_BATCHES} What is asked for again in each epoch is best kept on a local disk. ${otherwise}`,
    ...wholeBatches('your_fetch_one', 'your_fetch_all', 'one request'),
  };
}
