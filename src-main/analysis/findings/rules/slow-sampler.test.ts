import { expect, test } from 'vitest';
import { cell, type FactsPlan, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampledThreads } from '../testing/sampled.ts';
import { slowSampler } from './slow-sampler.ts';

const judge = (changes: FactsPlan = {}) => slowSampler.judge(exampleFacts('slow-sampler', changes));
const main = cell('input', 'main', 'running', SECOND);

test('claims as much of what the training process did itself as its samples were in the sampler', () => {
  const found = judge();
  expect([found?.claims?.(main), found?.claimPart?.(main)]).toEqual([true, 0.75]);
  expect(found?.claims?.(cell('input', 'worker', 'running', SECOND))).toBe(false);
  expect(found?.sentence).toContain('waited 3.000 s for it: 75.0 % of its CPU time in the loader');
});

test('names the innermost function of the job, else that of PyTorch', () => {
  expect([judge()?.culprit, judge()?.title]).toEqual([
    'draw',
    'Picking the samples of a batch takes long, in draw (order.py:8)',
  ]);
  const found = judge({ trace: sampledThreads([{ pickingTorch: 60 }, 0]) });
  expect(found?.culprit).toBe('RandomSampler.__iter__');
});

test('tells the way from the sampler to what takes long', () => {
  expect(judge()?.sentence).toContain(
    'Of its CPU samples there, 100 % were in Balanced.__iter__ (order.py:14) → draw (order.py:8).',
  );
});

test('holds without workers too', () => {
  expect(judge({ workers: [] })?.culprit).toBe('draw');
});

test('is silent where the loader does something else, where little was seen, or where it costs nothing', () => {
  expect(judge({ trace: sampledThreads([{ pickingOwn: 30, unpickling: 60 }, 0]) })).toBeUndefined();
  expect(judge({ trace: sampledThreads([{ pickingOwn: 20 }, 0]) })).toBeUndefined();
  expect(judge({ costs: [cell('compute', 'main', 'running', 9 * SECOND)] })).toBeUndefined();
});

test('its fix keeps the order of the job, and draws only where the sampler draws', () => {
  const fixOf = (changes?: FactsPlan) => judge(changes)?.fix;
  const own = fixOf();
  expect(own?.title).toBe('Let draw run ahead, in a process of its own');
  expect(own?.after).toContain('for batch in your_batch_sampler:');
  expect(own?.after).not.toMatch(/multinomial|Weighted/);
  const drawn = fixOf({ trace: sampledThreads([{ pickingDrawn: 60 }, 0]) });
  expect(drawn?.title).toBe('Draw the order of a whole epoch at once');
  expect(drawn?.after).toContain('WeightedRandomSampler(');
  // PyTorch's own draws once already; it gives single indices.
  const ofTorch = fixOf({ trace: sampledThreads([{ pickingTorch: 60 }, 0]) });
  expect(ofTorch?.after).toContain('BatchSampler(your_sampler, ');
  expect(ofTorch?.before).toContain('sampler=your_sampler');
});
