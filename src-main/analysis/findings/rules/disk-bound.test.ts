import { expect, test } from 'vitest';
import { toldTime } from '../claim-costs.ts';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { sampled } from '../testing/sampled.ts';
import { diskBound } from './disk-bound.ts';

const UNINTERRUPTIBLE = 2;

interface Plan {
  readonly files: readonly string[];
  /** Thread that ends the waits; -1 = the disk. */
  readonly waker?: number;
  readonly block?: Readonly<Record<string, number>>;
  /** Of 40 samples of making batches, in which the kernel was reading. */
  readonly reading?: number;
  readonly runningNs?: number;
  /** Outside any system call. */
  readonly isTouched?: boolean;
}

/** A worker that waits for each of `files` in turn, 60 times, 5 ms each. */
function judge(plan: Plan) {
  const { tables, ...facts } = factsOf(plan);
  return diskBound.judge({ ...facts, trace: { ...facts.trace, tables } });
}

function factsOf({ files, waker = -1, block, reading = 0, ...plan }: Plan) {
  const { runningNs = 2 * SECOND, isTouched = false } = plan;
  const seen = sampled({ reading, item: 40 - reading });
  const facts = buildFacts({
    workers: [{ cycles: { disk: 6 * SECOND, running: runningNs } }],
    costs: [
      cell('input', 'worker', 'disk', 3 * SECOND),
      cell('input', 'worker', 'running', SECOND),
    ],
    trace: {
      stacks: seen.stacks,
      names: [['IO', 'read'], ['', 'nvme0n1'], ...files.map((file) => ['', file] as const)],
      machine: { cpuModel: 'Intel Xeon' },
      processes: [
        { pid: 100, name: 'python3', role: 'main' },
        { pid: 101, name: 'python3', role: 'dataloader-worker', parent: 0 },
        { pid: 900, name: 'sshfs' },
      ],
      threads: [100, 101, 900].map((tid, process) => ({ tid, process, name: 'x' })),
      rows: {
        cpu_sample: seen.rows.cpu_sample,
        off_cpu: Array.from({ length: 60 }, (_, at) => ({
          ...{ startNs: at * 20 * MS, durationNs: 5 * MS, thread: 1, runQueueNs: 0 },
          ...{ syscall: isTouched ? -1 : 0, state: UNINTERRUPTIBLE, ioWait: 1 },
          ...(files.length > 0 && { file: 2 + (at % files.length) }),
          ...{ waker, wakerContext: waker < 0 ? 3 : 1 },
        })),
        ...(block && {
          block_io: Array.from({ length: 60 }, (_, at) => ({
            ...{ startNs: at * 20 * MS, durationNs: 4 * MS, thread: 1, op: 0, bytes: 4096 },
            ...block,
          })),
        }),
      },
    },
  });
  const { tables } = facts.trace;
  const columnProvenance = { file: { kind: 'partial' as const, note: '' } };
  const off_cpu = { ...tables.off_cpu, columnProvenance };
  return { ...facts, tables: { ...tables, off_cpu } };
}

/** What a finding claims of the loop’s time, ns. */
function claimedNs(plan: Plan): number | undefined {
  const judgement = judge(plan);
  return judgement && toldTime(judgement, factsOf(plan).costs);
}

test('what the kernel did to fetch goes with the waits, as much of it as samples show', () => {
  const plan = { files: ['/data/a.bin (ext4)'], reading: 30 };
  const judgement = judge(plan);
  expect(judgement?.sentence).toMatch(
    /waited 3\.000 s for data .* \(ext4\), and 750\.0 ms for the kernel’s work of reading it\./,
  );
  expect(judgement?.sentence).toContain(
    'Of the CPU samples of reading, 100 % were in Rows.__getitem__ (train.py:20)',
  );
  expect(judgement?.evidence.at(-1)).toMatchObject({
    text: expect.stringContaining('30 of 40 CPU samples'),
    basis: 'inferred',
  });
  expect(judgement?.confidence).toBe('proven');
  expect(claimedNs(plan)).toBe(3.75 * SECOND);
  // The rest of the work stays, whatever becomes of the reads.
  expect(judgement?.gain).toMatchObject({ reach: 'waits', floorNs: expect.any(Number) });
});

test.each([
  ['the dataset computes', { reading: 5 }],
  ['there is more of it than waits for disks', { reading: 30, runningNs: 20 * SECOND }],
])('it does not where %s', (_, more) => {
  const plan = { files: ['/data/a.bin (ext4)'], ...more };
  expect(judge(plan)?.gain).toEqual({ reach: 'waits', cpus: expect.any(Number) });
  expect(claimedNs(plan)).toBe(3 * SECOND);
});

test('names the files, their file system, and the device with its queue', () => {
  const judgement = judge({
    files: ['/data/train/1.jpg (ext4)', '/data/train/b/2.jpg (ext4)'],
    block: { device: 1, queueNs: MS },
  });
  expect(judgement?.title).toBe('Batches wait for the disk');
  expect(judgement?.sentence).toContain(
    'being read from a disk, mostly for 2 files in /data/train/ (ext4).',
  );
  expect(judgement?.evidence[1]?.text).toBe(
    '60 reads of 240.0 KiB in all from nvme0n1 took 5.000 ms each (median): 1.000 ms in the queue, 4.000 ms at the device',
  );
});

test('a file that is mapped is named, with a fix of its own', () => {
  const judgement = judge({ files: ['/data/train.bin (ext4)'], isTouched: true });
  expect(judgement?.sentence).toContain('mostly for /data/train.bin (ext4).');
  expect(judgement?.sentence).toContain(
    'Mostly these were page faults: a file that is mapped, as by np.memmap, is read as it is touched, a page of 4 KiB or a few at a time: 60 waits.',
  );
  expect(judgement?.culprit).toBe('train.bin');
  expect(judgement?.fix.title).toBe('Read each sample at once, not page by page');
});

test('of several that are mapped the folder is named', () => {
  const files = ['/data/shards/1.npy (ext4)', '/data/shards/2.npy (ext4)'];
  const judgement = judge({ files, isTouched: true });
  expect(judgement?.sentence).toContain('mostly for 2 files in /data/shards/ (ext4).');
  expect(judgement).not.toHaveProperty('culprit');
});

test('a library that is read again has no advice about samples', () => {
  const files = ['/opt/torch/lib/libtorch_cpu.so (ext4)'];
  expect(judge({ files, isTouched: true })?.fix.title).toBe(
    'Bring the data closer, or make it smaller',
  );
});

test('a file that few of the waits are known to be for is not blamed for all', () => {
  const files = ['/data/1.npy (ext4)', ...Array.from({ length: 4 }, () => 'mapped file')];
  const judgement = judge({ files, isTouched: true });
  expect(judgement?.sentence).toContain('among others for /data/1.npy (ext4).');
  expect(judgement?.sentence).toContain('a file that is mapped, as by np.memmap,');
  expect(judgement).not.toHaveProperty('culprit');
});

test('where no file is known it may have been swapped out', () => {
  const judgement = judge({ files: [], isTouched: true });
  expect(judgement?.sentence).toContain('from a disk.');
  expect(judgement?.sentence).toContain('or that was swapped out, is read as it is touched');
});

test('a file system on the network is no disk', () => {
  const judgement = judge({ files: ['/mnt/data/all.bin (nfs4)'] });
  expect(judgement?.title).toBe('Batches wait for the file system');
  expect(judgement?.sentence).toContain('mostly for /mnt/data/all.bin (nfs4).');
});

test('the server of a network file system is named, where its mount is known', () => {
  const judgement = judge({
    files: ['/mnt/data/1.bin (nfs4 of nas:/data)', '/mnt/data/2.bin (nfs4 of nas:/data)'],
  });
  expect(judgement?.title).toBe('Batches wait for a file server: nfs4 of nas:/data');
  expect(judgement?.culprit).toBe('nfs4 of nas:/data');
  expect(judgement?.sentence).toContain(
    'read from a file system, mostly for 2 files in /mnt/data/ (nfs4 of nas:/data).',
  );
  // Half of the waits are for another one.
  const two = judge({ files: ['/mnt/a/1 (nfs4 of nas:/a)', '/mnt/b/1 (nfs4 of store:/b)'] });
  expect(two?.title).toBe('Batches wait for the file system');
});

test('of one in user space its process is named, by who ended the waits', () => {
  const told = (files: readonly string[], waker: number) => judge({ files, waker })?.sentence;
  expect(told(['/mnt/x (fuse.sshfs)'], 2)).toContain(
    'mostly for /mnt/x (fuse.sshfs, served by sshfs (pid 900)).',
  );
  // Whoever read the same page of a disk first wakes the others.
  expect(told(['/mnt/x (ext4)'], 2)).not.toContain('sshfs');
});
