import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { awaitedFile } from '../../threads/awaited-file.ts';
import { clearCulprit, serverName } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling, workersOption } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, inputCell, makersOf, production } from '../facts/loader-work.ts';
import { type PeerWaits, peerWaits } from '../facts/peer-waits.ts';
import { wholeBatches } from '../fixes/loader-fix.ts';
import { rowsDataset } from '../fixes/snippets.ts';
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
  if (waits.kind === 'process') return opensFix(facts, waits.text);
  if (waits.kind === 'socket') return fixFor(facts, otherwise);
  return isForRoom(facts.trace, waits.rows)
    ? writersFix(facts, waits.text, otherwise)
    : feederFix(facts, waits, otherwise);
}

/** Something looks at each file before it is opened. */
function opensFix(facts: RankFacts, peers: string): Fix {
  return {
    title: `Exclude the data folder from what ${peers} looks at, or open fewer files`,
    text: 'The kernel asks it before each file is opened, and the worker waits for its answer. Virus scanners and tools that keep a record of accesses do that (fanotify), and file systems that a program provides (FUSE). Most can leave out a folder. Samples that lie in one file, which stays open, are asked for once.',
    before: `class Files(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        return torch.from_numpy(np.load(files[index]))  # opened for each sample

loader = DataLoader(Files(), batch_size=batch_size, ${workersOption(facts)})`,
    after: `np.save("packed.npy", np.stack([np.load(file) for file in files]))  # once, before training

${rowsDataset('Packed')}

loader = DataLoader(Packed("packed.npy"), batch_size=batch_size, ${workersOption(facts)})`,
    language: 'python',
    sources: [
      { title: 'fanotify(7)', url: 'https://man7.org/linux/man-pages/man7/fanotify.7.html' },
    ],
  };
}

/** The workers write to a pipe that is read too slowly. */
function writersFix(facts: RankFacts, peers: string, otherwise: string): Fix {
  return {
    title: `Have the workers write less to what ${peers} reads`,
    text: `A pipe holds 64 KiB. When it is full, whoever writes waits until the other side has read: each line that a worker prints then costs the time of its reader. Print one line in a thousand, or let each worker write to a file of its own. ${otherwise}`,
    before: `class Told(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        print(f"sample {index}: {files[index]}", flush=True)
        return torch.from_numpy(decode(files[index]))

loader = DataLoader(Told(), batch_size=batch_size, ${workersOption(facts)})`,
    after: `class Told(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        if index % 1000 == 0:
            print(f"sample {index}: {files[index]}", flush=True)
        return torch.from_numpy(decode(files[index]))

loader = DataLoader(Told(), batch_size=batch_size, ${workersOption(facts)})`,
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

function fixFor(facts: RankFacts, otherwise: string): Fix {
  return {
    title: 'Ask for a whole batch at once, or keep a copy nearby',
    text: `Each request takes its time, however small the answer: ask for all samples of a batch in one, or for several at a time, and keep the connection. What is asked for again in each epoch is best kept on a local disk. ${otherwise}`,
    ...wholeBatches('one request', 'Remote', workersOption(facts)),
  };
}
