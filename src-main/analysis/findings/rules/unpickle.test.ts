import { expect, test } from 'vitest';
import { cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampledThreads, stackNumber, type ThreadSamples } from '../testing/sampled.ts';
import { unpickle } from './unpickle.ts';

const judge = (changes: FactsPlan = {}) => unpickle.judge(exampleFacts('unpickle', changes));
const main = cell('input', 'main', 'running', SECOND);
const sending = cell('input', 'worker', 'sending', SECOND);
const making = cell('input', 'worker', 'running', SECOND);

test('claims what the training process unpickled, and what the workers pickled before', () => {
  const found = judge();
  expect(found?.sentence).toContain('86.7 % of the CPU time in the loader');
  expect([main, sending, making].map((each) => found?.claims?.(each))).toEqual([true, true, false]);
});

test('leaves the sending to others where its threads did not pickle', () => {
  const found = judge({ trace: sampledThreads([{ unpickling: 60 }, 0]) });
  expect([main, sending].map((each) => found?.claims?.(each))).toEqual([true, false]);
  expect(found?.evidence).toHaveLength(1);
});

test('names the class that is unpickled, else the collate_fn, else the dataset, else nothing', () => {
  const titleOf = (...traced: ThreadSamples[]) => {
    const found = judge({ trace: sampledThreads(...traced) });
    return [found?.title.replace(/^.* each batch(, mostly in | from )?/, ''), found?.culprit];
  };
  expect(titleOf([{ unpickling: 40, rebuilding: 20 }, 0], [{ collate: 9 }, 1])).toEqual([
    'Box.__setstate__ (boxes.py:9)',
    'Box.__setstate__',
  ]);
  expect(titleOf([{ unpickling: 40 }, 0], [{ collate: 9, item: 20 }, 1])).toEqual([
    'pad (train.py:30)',
    'pad',
  ]);
  expect(titleOf([{ unpickling: 40 }, 0], [{ item: 20 }, 1])).toEqual([
    'Rows.__getitem__ (train.py:20)',
    'Rows.__getitem__',
  ]);
  expect(titleOf([{ unpickling: 40 }, 0])).toEqual(['', undefined]);
});

test('a worker that is seldom met on a CPU is known by the only collate_fn that any stack shows', () => {
  const opened = sampledThreads([{ opening: 40 }, 0], [{ collate: 2, item: 3 }, 1]);
  expect(judge({ trace: opened })?.culprit).toBe('pad');
  // PyTorch's own is met more: that one is another loader's.
  const both = sampledThreads(
    [{ opening: 40 }, 0],
    [{ collate: 2, defaultCollate: 9, item: 3 }, 1],
  );
  expect(judge({ trace: both })?.culprit).toBe('Rows.__getitem__');
  const waits = (...shown: Parameters<typeof stackNumber>) =>
    shown.map((name) => ({
      ...{ startNs: MS, durationNs: 6 * MS, thread: 1, state: 1 },
      stack: stackNumber(name),
    }));
  const asleep = (off_cpu: ReturnType<typeof waits>) => {
    const plan = sampledThreads([{ opening: 40 }, 0]);
    return judge({ trace: { ...plan, rows: { ...plan.rows, off_cpu } } })?.culprit;
  };
  expect(asleep(waits('collate'))).toBe('pad');
  expect(asleep(waits('item'))).toBe('Rows.__getitem__');
  expect(asleep(waits('waiting'))).toBeUndefined();
});

test('tells of many tensors where their shared memory is opened, for milliseconds a batch', () => {
  const trace = sampledThreads([{ opening: 40, unpickling: 10 }, 0], [{ collate: 9 }, 1]);
  const found = judge({ trace });
  expect(found?.title).toBe(
    'Each batch has many tensors, and each is handed over by itself from pad (train.py:30)',
  );
  expect(found?.sentence).toContain('waited 6.000 s while batches');
  expect(found?.sentence).toContain('were handed over, 120.0 ms for each.');
  expect(found?.culprit).toBe('pad');
  expect([main, sending, making].map((each) => found?.claims?.(each))).toEqual([true, true, false]);
  // With two tensors a batch that is most of what the training process does for it, and still little.
  const costs = [cell('input', 'main', 'running', 0.15 * SECOND)];
  expect(judge({ trace, costs })).toBeUndefined();
});

test('is silent where too little was seen', () => {
  expect(judge({ trace: sampledThreads([{ unpickling: 20 }, 0]) })).toBeUndefined();
  expect(judge({ workers: [] })).toBeUndefined();
});

test('tells of pinning where the thread that does it is what the loop waits for', () => {
  const found = judge({
    rank: { pinThreads: [2] },
    trace: sampledThreads([{ receiving: 5 }, 0], [{ pinning: 40, unpickling: 10 }, 2]),
  });
  expect(found?.title).toBe('The training loop waits while batches are copied to pinned memory');
  expect([main, sending].map((each) => found?.claims?.(each))).toEqual([true, false]);
});
