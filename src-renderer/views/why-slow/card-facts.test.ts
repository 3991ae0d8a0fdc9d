import { expect, test } from 'vitest';
import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';
import { cardFacts } from './card-facts.ts';

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
