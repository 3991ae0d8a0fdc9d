import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
} from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { awaitedFile, filesAreProved } from '../../threads/awaited-file.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import { awaitedFilesText } from '../facts/awaited-files.ts';
import { fileNameOf, functionOf } from '../facts/culprit.ts';
import { areSmallAndScattered, diskReads, diskReadsText } from '../facts/disk-reads.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { diskWaitsAreLimited } from '../facts/limited-waits.ts';
import { inputCell, makersOf, production } from '../facts/loader-work.ts';
import { callsOfMakers, READING } from '../facts/recorded-calls.ts';
import { debugGuide, optimisationGuide } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { blockIo, completeSwitches } from '../judging/needs.ts';
import {
  gainOfReads,
  type ReadingWork,
  readingPlace,
  readingWork,
  withWork,
} from '../judging/reading-work.ts';
import type { Judgement, Rule } from '../rule.ts';

const waits = inputCell('worker', 'disk');

/** The workers read small pieces from all over the disk, as one file a sample does. */
export const smallFiles: Rule = { id: 'small-files', needs: [blockIo, completeSwitches], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const reads = diskReads(facts);
  if (!areSmallAndScattered(facts) || diskWaitsAreLimited(facts)) return undefined;
  const work = readingWork(facts);
  const { ns, events } = claimed(facts.costs, waits);
  if (!isWorthTelling(facts, ns)) return undefined;
  const count = reads.rows.length;
  const { batches } = production(facts);
  const text = `The workers read ${formatBytes(reads.bytes)} in ${formatCount(count)} pieces of ${formatBytes(reads.medianBytes)} (median), ${formatCount(Math.round(count / batches))} for each batch; ${formatShare(reads.scattered, count)} did not go on where the last one ended`;
  const oneFile = fileOfAll(facts);
  const place = readingPlace(facts);
  const culprit = oneFile === undefined ? place && functionOf(place) : fileNameOf(oneFile);
  const files = awaitedFilesText(facts);
  const refs: EventRefs = refsTo('block_io', reads.rows);
  return {
    title: `Many small reads from all over the disk${place === undefined ? '' : `, in ${place}`}`,
    ...(culprit !== undefined && { culprit }),
    sentence: `${text}. The training loop waited ${formatDuration(ns)} for disks${files === undefined ? '' : `, ${files}`}${workText(work)}.${work?.placeText ?? ''}`,
    confidence: 'likely',
    evidence: [
      evidence(text, 'exact', refs),
      evidence(diskReadsText(reads), 'exact', refs),
      ...(work === undefined ? [] : [work.evidence]),
      ...callsOfMakers(facts, READING),
    ],
    hotThreads: makersOf(facts),
    ...withWork(waits, work),
    gain: gainOfReads(facts, work),
    fix: oneFile === undefined ? packingFix : orderFix(oneFile),
    chain: {
      system: evidence(diskReadsText(reads), 'exact', refs),
      host: evidence(
        waitOf(facts, ns, 'waited for workers that waited for disks'),
        'exact',
        events,
      ),
      cuda: idleDevice(facts, waits),
    },
  };
}

/** `, and 40 ms for the kernel’s work of reading, and about 30 ms for a CPU that workers had for it`. */
function workText(work: ReadingWork | undefined): string {
  if (work === undefined) return '';
  return `, and ${formatDuration(work.ns)} for ${work.what}${work.crowding.andText}`;
}

/** So many waits for one file are for parts of it: it is no sample. Our own choice, as is the next. */
const WAITS_FOR_ONE_AT_LEAST = 20;
const MOSTLY_ONE = 0.8;

/** The file that most waits for disks were for, as far as their files are known; undefined where there are many. */
function fileOfAll(facts: RankFacts): string | undefined {
  const { trace, window } = facts;
  const { startNs } = trace.tables.off_cpu.columns;
  if (!filesAreProved(trace)) return undefined;
  const counts = new Map<string, number>();
  let all = 0;
  for (const thread of makersOf(facts))
    for (const row of traceIndex(trace).switchesOf(thread).rows) {
      const file = awaitedFile(trace, row);
      const isDisk = stateWhileAsleep(trace, row) === stateCode.disk;
      if (startNs[row] < window[0] || startNs[row] >= window[1] || !isDisk) continue;
      if (file === undefined || file.isKind) continue;
      all++;
      counts.set(file.name, (counts.get(file.name) ?? 0) + 1);
    }
  const [name, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  return count >= WAITS_FOR_ONE_AT_LEAST && count >= all * MOSTLY_ONE ? name : undefined;
}

const sources = [
  optimisationGuide('10,000 random reads: 10 s; the same in sequence: 100 ms'),
  debugGuide('every file costs an open'),
];

const packingFix: Fix = {
  title: 'Keep the samples in few large files, in the order of reading',
  text: 'Write the samples one after the other into large files, in an order that is already shuffled, and read those from front to back: as one array below, or as shards of WebDataset or an LMDB. Where they are in few files already, only the order is to be changed. Each epoch then goes through the same order: write several such orders, or shuffle long pieces, where that matters to the training.',
  before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_files)

    def __getitem__(self, index):
        return your_sample(your_read(your_files[index]))  # one file for each sample

loader = DataLoader(YourDataset(), batch_size=your_batch_size, shuffle=True, num_workers=your_num_workers, **your_options)`,
  after: `import numpy as np
from torch.utils.data import Dataset

order = np.random.permutation(len(your_files))
np.save("order.npy", order)  # row n is of your_files[order[n]], and so is its label
first = your_read(your_files[0])
packed = np.lib.format.open_memmap("packed.npy", "w+", first.dtype, (len(order), *first.shape))
for row, index in enumerate(order):
    packed[row] = your_read(your_files[index])  # once, before training

class YourDataset(Dataset):
    def __init__(self):
        self.rows = np.load("packed.npy", mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, row):
        return your_sample(self.rows[row].copy())

loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)  # in order: it is shuffled`,
  language: 'python',
  sources,
};

function orderFix(file: string): Fix {
  return {
    title: `Read ${file} from front to back`,
    text: 'The samples are in one file already, but they are read from all over it. Shuffle them once on the disk, ahead of training, and read that copy in order; or read long pieces of it in a shuffled order, and shuffle what is in memory. A copy on a local NVMe drive, or in memory, makes the order matter less. A copy in order is the same in each epoch: write several, where that matters to the training.',
    before:
      'loader = DataLoader(YourDataset(your_path), batch_size=your_batch_size, shuffle=True, num_workers=your_num_workers, **your_options)',
    after: `import numpy as np

rows = np.load(your_path, mmap_mode="r")
order = np.random.permutation(len(rows))
np.save("order.npy", order)  # row n was row order[n], and so is its label
shuffled = np.lib.format.open_memmap("shuffled.npy", "w+", rows.dtype, rows.shape)
for row, index in enumerate(order):
    shuffled[row] = rows[index]  # once, before training

loader = DataLoader(YourDataset("shuffled.npy"), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)  # in order: it is shuffled`,
    language: 'python',
    sources,
  };
}
