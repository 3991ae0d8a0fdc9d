import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { awaitedFiles, awaitedFilesText, pageWaits } from '../facts/awaited-files.ts';
import { clearCulprit, fileNameOf, functionOf } from '../facts/culprit.ts';
import { areSmallAndScattered, diskReads, diskReadsText } from '../facts/disk-reads.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { diskWaitsAreLimited } from '../facts/limited-waits.ts';
import { DOMINANT_SHARE, makersOf, production } from '../facts/loader-work.ts';
import { callsOfMakers, READING } from '../facts/recorded-calls.ts';
import { rowsDataset } from '../fixes/snippets.ts';
import { optimisationGuide } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import { gainOfReads, readingPlace, readingWork, withWork } from '../judging/reading-work.ts';
import type { Judgement, Rule } from '../rule.ts';

const TOUCHED = 'is read as it is touched, a page of 4 KiB or a few at a time';

const isWait = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'disk';

/** The loop waits for batches whose data is still on its way from a disk. */
export const diskBound: Rule = { id: 'disk-bound', needs: [completeSwitches], judge };

function judge(facts: RankFacts): Judgement | undefined {
  // Else `small-files` tells it.
  const work = areSmallAndScattered(facts) ? undefined : readingWork(facts);
  const { ns, events } = claimed(facts.costs, isWait);
  if (!isWorthTelling(facts, ns) || diskWaitsAreLimited(facts)) return undefined;
  const working =
    work === undefined
      ? ''
      : `, and ${formatDuration(work.ns)} for the kernel’s work of reading it${work.crowding.andText}`;
  const isMostlyWaits = work === undefined || work.ns <= ns / 2;
  const waited = waitedText(facts);
  const pages = pageWaits(facts);
  const isMapped = pages.share >= DOMINANT_SHARE;
  const reads = readsEvidence(facts);
  const isOfFiles = pages.ofFiles >= DOMINANT_SHARE;
  const files = awaitedFilesText(facts);
  const forFiles = files === undefined ? '' : `, ${files}`;
  const what = isOfFiles
    ? 'a file that is mapped, as by np.memmap,'
    : 'memory that maps a file, as np.memmap does, or that was swapped out,';
  const place = readingPlace(facts);
  const server = fileServer(facts);
  const culprit = server ?? onlyFile(facts) ?? (place && functionOf(place));
  const from = isElsewhere(facts) ? 'file system' : 'disk';
  const paged = isMapped
    ? ` Mostly these were page faults: ${what} ${TOUCHED}: ${plural(pages.count, 'wait')}.`
    : '';
  return {
    title:
      server === undefined
        ? `Batches wait for the ${from}`
        : `Batches wait for a file server: ${server}`,
    ...(culprit !== undefined && { culprit }),
    sentence: `The training loop waited ${formatDuration(ns)} for data that was still being read from a ${from}${forFiles}${working}.${waited === undefined ? '' : ` ${waited}.`}${paged}${work?.placeText ?? ''}`,
    confidence: isMostlyWaits ? 'proven' : 'likely',
    evidence: [
      evidence(
        waitOf(facts, ns, 'waited for disks, itself or through its workers'),
        'exact',
        events,
      ),
      ...(reads === undefined ? [] : [reads]),
      ...(work === undefined ? [] : [work.evidence]),
      ...callsOfMakers(facts, READING),
    ],
    hotThreads: makersOf(facts),
    ...withWork(isWait, work),
    gain: gainOfReads(facts, work),
    fix: isMapped && !isProgram(facts) ? mappedFix : fix(),
    chain: {
      system:
        reads ??
        evidence('Threads were asleep in the kernel until a disk had answered', 'exact', events),
      host: evidence(waitOf(facts, ns, 'waited for data from disks'), 'exact', events),
      cuda: idleDevice(facts, isWait),
    },
  };
}

/** Whether most of what was mapped is a library, which was dropped for lack of memory: no sample is read otherwise. */
function isProgram(facts: RankFacts): boolean {
  const place = awaitedFiles(facts).named[0]?.place ?? '';
  return /\.so(\.\d+)*$/.test(place);
}

/** The file that clearly most of the waits for disks were for; undefined where there is none. */
function onlyFile(facts: RankFacts): string | undefined {
  const { named, unnamedNs } = awaitedFiles(facts);
  const parts = named.map(({ files, place, ns }) => ({
    name: files === 1 ? fileNameOf(place) : undefined,
    ns,
  }));
  return clearCulprit([...parts, { name: undefined, ns: unnamedNs }]);
}

/** `nfs4 of nas:/data`: the server and its folder, where clearly most of the waits were for files of it and its mount is known. */
function fileServer(facts: RankFacts): string | undefined {
  const { named, unnamedNs } = awaitedFiles(facts);
  const parts = named.map(({ fileSystem, ns }) => ({
    name: / of \S/.test(fileSystem) ? fileSystem : undefined,
    ns,
  }));
  return clearCulprit([...parts, { name: undefined, ns: unnamedNs }]);
}

function waitedText(facts: RankFacts): string | undefined {
  const { ns, byCause } = production(facts);
  return ns === 0
    ? undefined
    : `The workers spent ${formatShare(byCause.disk, ns)} of the making of batches in such waits`;
}

function readsEvidence(facts: RankFacts): Evidence | undefined {
  const reads = diskReads(facts);
  return reads.rows.length === 0
    ? undefined
    : evidence(diskReadsText(reads), 'exact', refsTo('block_io', reads.rows));
}

/** Of what is on the network, or made by a process, no disk of this machine is read. */
function isElsewhere(facts: RankFacts): boolean {
  return /^(nfs|cifs|smb|fuse|9p|virtiofs|ceph|lustre|glusterfs|beegfs|gpfs|afs)/.test(
    awaitedFiles(facts).named[0]?.fileSystem ?? '',
  );
}

const mappedFix: Fix = {
  title: 'Read each sample at once, not page by page',
  text: 'A mapped file comes from the disk as it is touched, and each missing page stops the worker. One read() of the whole sample lets the disk work on all of it at once. In training order rather than at random the kernel reads ahead; what fits in memory can be read once, before the first epoch.',
  before: `import numpy as np
from torch.utils.data import Dataset

${rowsDataset('YourDataset')}

loader = DataLoader(YourDataset(your_path), batch_size=your_batch_size, **your_options)`,
  after: `import numpy as np
from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __init__(self, path):
        rows = np.load(path, mmap_mode="r")
        self.path, self.start, self.dtype, self.shape = path, rows.offset, rows.dtype, rows.shape

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        count = int(np.prod(self.shape[1:]))
        offset = self.start + index * count * self.dtype.itemsize
        row = np.fromfile(self.path, self.dtype, count, offset=offset)  # one read a sample
        return torch.from_numpy(row.reshape(self.shape[1:]))

loader = DataLoader(YourDataset(your_path), batch_size=your_batch_size, **your_options)`,
  language: 'python',
  sources: [{ title: 'madvise(2)', url: 'https://man7.org/linux/man-pages/man2/madvise.2.html' }],
};

function fix(): Fix {
  return {
    title: 'Bring the data closer, or make it smaller',
    text: 'Copy it to a local NVMe drive before training, or keep what fits in memory. Compressed data is read faster. Where the data has to stay where it is, ask the kernel for the next files before they are needed.',
    before:
      'loader = DataLoader(YourDataset(your_folder), batch_size=your_batch_size, **your_options)',
    after: `import os
import shutil

if not os.path.isdir(your_local_folder):
    shutil.copytree(your_folder, your_local_folder + ".part", dirs_exist_ok=True)  # once, onto a fast drive
    os.rename(your_local_folder + ".part", your_local_folder)
loader = DataLoader(YourDataset(your_local_folder), batch_size=your_batch_size, **your_options)`,
    language: 'python',
    sources: [
      optimisationGuide('NVMe answers in 0.1 to 1 ms, a spinning disk takes 5 to 10 ms to seek'),
    ],
  };
}
