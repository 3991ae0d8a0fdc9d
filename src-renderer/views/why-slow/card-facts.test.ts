import { expect, test } from 'vitest';
import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';
import { cardFacts, stretchFacts } from './card-facts.ts';

const copy = {
  call: { name: 'cudaMemcpyAsync', bytes: 2 ** 20, direction: 'H2D' },
  rate: { bytesPerNs: 6.453 },
  hostMemory: { kind: 'pageable' },
  memory: { minorFaults: 1200, majorFaults: 3, ranges: [], others: [] },
  rank: { rank: 1, of: 8 },
} as unknown as CallExplanation;

test('tell of faults, copy and peers in a line each', () => {
  expect(cardFacts(copy).map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Page faults: 1,203 faults (3 major)',
    'Copy: 1.000 MiB · H2D · 6.453 GB/s · pageable',
    'Among its peers: the slowest of 8',
  ]);
});

test('leave out what is not in the trace', () => {
  const memory = { ranges: [], others: [] };
  const call = { ...copy.call, name: 'cudaLaunchKernel', bytes: -1, direction: 'none' };
  const rank = { rank: 1, of: 1 };
  const bare = { ...copy, memory, call, rank } as unknown as CallExplanation;
  expect(cardFacts(bare)).toEqual([]);
});

test('of a stretch tell of its own thread, of the rest of its job, and of the largest copy', () => {
  const counts = (minorFaults: number) => ({ minorFaults, majorFaults: 0 });
  const memory = { own: counts(2), others: counts(1_500), isAtLeast: true };
  const said = (facts: ReturnType<typeof stretchFacts>) =>
    facts.map(({ label, value }) => `${label}: ${value}`);
  expect(said(stretchFacts({ memory, copy }))).toEqual([
    'Page faults: at least 2 faults',
    'In the job’s other threads: at least 1,500 faults',
    'Largest copy: 1.000 MiB · H2D · 6.453 GB/s · pageable',
    'Among its peers: the slowest of 8',
  ]);
  // Where not all were counted, no fault seen is not “at least 0”.
  expect(said(stretchFacts({ memory: { ...memory, own: counts(0) } }))[0]).toBe(
    'Page faults: none seen',
  );
  // What is not in the trace is not taken for none.
  expect(said(stretchFacts({ memory: { ...memory, own: {} } }))[0]).toBe(
    'Page faults: not recorded',
  );
  expect(stretchFacts({})).toEqual([]);
});
