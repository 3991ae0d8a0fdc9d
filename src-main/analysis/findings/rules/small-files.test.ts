import { expect, test } from 'vitest';
import { noEvents } from '../../../shared/model/event-ref.ts';
import { toldTime } from '../claim-costs.ts';
import { cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { diskBound } from './disk-bound.ts';
import { slowGetitem } from './slow-getitem.ts';
import { smallFiles } from './small-files.ts';

const UNINTERRUPTIBLE = 2;

/** The example with waits of the worker for disks, each for one of `files` in turn. */
function judge(files: readonly string[], kind: 'exact' | 'inferred' = 'exact') {
  const { trace } = exampleFacts('small-files');
  const off_cpu = Array.from({ length: 60 }, (_, at) => ({
    ...{ startNs: at * 20 * MS, durationNs: 5 * MS, thread: 1 },
    ...{ state: UNINTERRUPTIBLE, ioWait: 1, syscall: 0, file: 1 + (at % files.length) },
  }));
  const facts = exampleFacts('small-files', {
    trace: {
      names: [['IO', 'read'], ...files.map((file) => ['', file] as const)],
      rows: { block_io: blockRows(trace.tables.block_io.columns), off_cpu },
    },
  });
  const { tables } = facts.trace;
  const proved = { ...tables.off_cpu, columnProvenance: { file: { kind, note: '' } } };
  return smallFiles.judge({
    ...facts,
    trace: { ...facts.trace, tables: { ...tables, off_cpu: proved } },
  });
}

function blockRows(columns: Readonly<Record<string, ArrayLike<number> | undefined>>) {
  const count = columns.startNs?.length ?? 0;
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values?.[at] ?? -1])),
  );
}

test('nobody is told to pack what is in one file', () => {
  const one = judge(['/data/train.npy (ext4)']);
  expect(one?.fix.title).toBe('Read /data/train.npy (ext4) from front to back');
  expect(one?.culprit).toBe('train.npy');
  const many = Array.from({ length: 60 }, (_, at) => `/data/${at}.jpg (ext4)`);
  expect(judge(many)?.fix.title).toContain('in few large files');
  // A name that may be of another file proves nothing.
  expect(judge(['/data/train.npy (ext4)'], 'inferred')?.fix.title).toContain('in few large files');
});

test('what the kernel did for the reads is told beside the waits, and claimed as far as samples show it', () => {
  const { trace } = exampleFacts('small-files');
  const seen = sampled({ reading: 30, item: 10 });
  const changes = {
    workers: [{ cycles: { disk: 6 * SECOND, running: 2 * SECOND }, batches: 20 }],
    costs: [
      cell('input', 'worker', 'disk', 3 * SECOND),
      cell('input', 'worker', 'running', SECOND),
    ],
    trace: {
      names: [['IO', 'read']] as const,
      stacks: seen.stacks,
      rows: { ...seen.rows, block_io: blockRows(trace.tables.block_io.columns) },
    },
  };
  const facts = exampleFacts('small-files', changes);
  const judgement = smallFiles.judge(facts);
  expect(judgement?.sentence).toContain(
    'waited 3.000 s for disks, and 750.0 ms for the kernel’s work of reading.',
  );
  expect(judgement && toldTime(judgement, facts.costs)).toBe(3.75 * SECOND);
  // Where it was read is no work of slow code, nor of the disk a second time.
  expect(diskBound.judge(facts)?.sentence).not.toContain('the kernel’s work');
  expect(slowGetitem.judge(facts)).toBeUndefined();
});

/** 40 samples of making batches: the kernel’s reading in a function, that function’s own work, and another’s. */
function readingIn(counts: Parameters<typeof sampled>[0], more: FactsPlan = {}) {
  const { trace } = exampleFacts('small-files');
  const seen = sampled(counts);
  const facts = exampleFacts('small-files', {
    workers: [{ cycles: { disk: 6 * SECOND, running: 2 * SECOND }, batches: 20 }],
    costs: [
      cell('input', 'worker', 'disk', 3 * SECOND),
      cell('input', 'worker', 'running', SECOND),
      cell('input', 'main', 'runnable-own', SECOND),
    ],
    trace: {
      names: [['IO', 'read']] as const,
      stacks: seen.stacks,
      rows: { ...seen.rows, block_io: blockRows(trace.tables.block_io.columns) },
    },
    ...more,
  });
  const judgement = smallFiles.judge(facts);
  return { judgement, ns: judgement && toldTime(judgement, facts.costs), facts };
}

test('the function that reads is named, and what the interpreter does in it for each file goes with the reads', () => {
  const { judgement, ns, facts } = readingIn({ reading: 20, joiningPaths: 10, defaultCollate: 10 });
  expect(judgement?.title).toBe(
    'Many small reads from all over the disk, in Rows.__getitem__ (train.py:20)',
  );
  expect(judgement?.culprit).toBe('Rows.__getitem__');
  expect(judgement?.sentence).toContain('and 750.0 ms for the work of reading.');
  expect(judgement?.evidence.at(-1)?.text).toContain(
    ', and 10 of the interpreter in the functions that read: 750.0 ms',
  );
  expect(ns).toBe(3.75 * SECOND);
  expect(slowGetitem.judge(facts)).toBeUndefined();
});

test.each([
  ['another function of the job decodes', { reading: 20, item: 10, defaultCollate: 10 }],
  ['it does more of something else than it reads', { reading: 12, joiningPaths: 18, collate: 10 }],
])('what it does itself stays where %s', (_, counts) => {
  const { judgement, ns } = readingIn(counts);
  expect(judgement?.sentence).toContain('for the kernel’s work of reading.');
  expect(ns).toBe((3 + counts.reading / 40) * SECOND);
});

test('a CPU that the workers had for reading is told, as much of it as it was theirs, and for that', () => {
  const { judgement, ns } = readingIn(
    { reading: 40 },
    {
      neighbours: [
        { process: 1, relation: 'own-rank', ns: 3 * MS, events: noEvents },
        { process: 0, relation: 'own-rank', ns: MS, events: noEvents },
        { process: 2, relation: 'other', ns: 9 * MS, events: noEvents },
      ],
    },
  );
  expect(judgement?.sentence).toContain(
    ', and 1.000 s for the kernel’s work of reading, and about 750.0 ms for a CPU that workers had for that work.',
  );
  expect(ns).toBe(4.75 * SECOND);
});
