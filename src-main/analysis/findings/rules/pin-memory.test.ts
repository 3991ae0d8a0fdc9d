import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { copies, copiesInTwoPlaces } from '../testing/loop-examples.ts';
import { pinMemory } from './pin-memory.ts';

test('says how many copies, how much, and the time of the loop', () => {
  const judgement = pinMemory.judge(exampleFacts('pin-memory'));
  expect(judgement?.sentence).toContain('100 copies of 2.235 GiB in all');
  expect(judgement?.confidence).toBe('proven');
});

test('says where the kind of memory is inferred', () => {
  const facts = { ...exampleFacts('pin-memory'), h2d: [copies('pageable', { exact: false })] };
  const judgement = pinMemory.judge(facts);
  expect(judgement?.evidence[0]).toMatchObject({ basis: 'inferred' });
  expect(judgement?.evidence[0].text).toContain('inferred');
  expect(judgement?.confidence).toBe('likely');
});

test('where sums around calls bear on it, at least so much, and not proven', () => {
  const example = exampleFacts('pin-memory');
  const costs = example.costs.map((each) => ({ ...each, isBound: true as const }));
  const judgement = pinMemory.judge({ ...example, costs });
  expect(judgement?.sentence).toContain('spent at least');
  expect(judgement?.sentence).not.toContain('Nothing was left to do');
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.evidence.find(({ text }) => text.startsWith('at least'))?.basis).toBe(
    'inferred',
  );
});

test('never behind unfinished kernels, nor of pinned or unknown memory', () => {
  const busy = [copies('pageable', { onEmptyStream: 0, onEmptyStreamNs: 0 })];
  const costs = [cell('h2d', 'main', 'staging', 2 * SECOND)];
  expect(pinMemory.judge(buildFacts({ h2d: busy, costs }))).toBeUndefined();
  for (const memory of ['pinned', 'registered', 'managed', 'unknown'] as const)
    expect(pinMemory.judge(buildFacts({ h2d: [copies(memory)], costs }))).toBeUndefined();
  const device = [cell('h2d', 'main', 'device', 2 * SECOND)];
  expect(pinMemory.judge(buildFacts({ h2d: [copies('pageable')], costs: device }))).toBeUndefined();
});

test('names who makes them, and what is no batch of the loader’s is pinned where it is made', () => {
  const judge = (times: readonly (readonly [number, number])[], stepNs?: number) =>
    pinMemory.judge(exampleFacts('pin-memory', copiesInTwoPlaces(new Map(times), stepNs)));
  // Of most the stack was not recorded.
  const beside = judge([
    [-1, 500],
    [0, 10],
    [1, 90],
  ]);
  expect(beside?.culprit).toBe('bring_layer');
  expect(beside?.sentence).toContain('most of that time in bring_layer (train.py:40)');
  expect(beside?.fix.title).toContain('Pin what bring_layer (train.py:40) copies from');
  const ofBatches = judge([
    [0, 90],
    [1, 10],
  ]);
  // Nor is it a batch for sure where nobody knows what steps begin with.
  for (const judged of [ofBatches, judge([[1, 90]], 7)]) {
    expect(judged?.culprit).toBe('to_device');
    expect(judged?.fix.title).toContain('Pin the loader’s batches');
  }
  const unclear = [
    [
      [0, 50],
      [1, 50],
    ],
    [
      [-1, 95],
      [1, 5],
    ],
  ] as const;
  for (const times of unclear) expect(judge(times)?.culprit).toBeUndefined();
});

test('a pin-memory thread proves nothing of what was copied: the fix tells how to find out', () => {
  const example = exampleFacts('pin-memory');
  const rank = { ...example.rank, pinThreads: [5] };
  const judgement = pinMemory.judge({ ...example, rank });
  const told = judgement?.evidence.find(({ text }) => text.startsWith('A pin-memory thread'));
  expect(told).toMatchObject({ basis: 'inferred' });
  const words = `${told?.text} ${judgement?.fix.text}`;
  expect(words).not.toMatch(/batches are pinned|pins its batches/);
  expect(judgement?.fix.text).toContain('method `pin_memory`');
  expect(judgement?.fix.after).toContain('is_pinned()');
});

test('says of which copies time counts, where not all began on an empty stream', () => {
  const example = exampleFacts('pin-memory');
  const told = (recorded: number, onEmptyStream: number) => {
    const h2d = [copies('pageable', { onEmptyStream, recorded })];
    const judgement = pinMemory.judge({ ...example, h2d });
    expect(judgement?.sentence).not.toContain('Nothing was left to do');
    return judgement?.evidence[1]?.text;
  };
  expect(told(0, 100)).toMatch(/^All began .* from call to return, waits for a CPU included$/);
  expect(told(0, 40)).toMatch(/^40 of them began .*; of the others no time is counted$/);
  expect(told(100, 40)).toMatch(/; of the others only what the GPU’s own records show it copying/);
});

test('leaves out the number of workers where none are in the trace', () => {
  const example = { ...exampleFacts('pin-memory'), generations: [] };
  for (const pinThreads of [[], [5]]) {
    const fix = pinMemory.judge({ ...example, rank: { ...example.rank, pinThreads } })?.fix;
    for (const code of [fix?.before, fix?.after]) {
      expect(code).toContain('num_workers=your_num_workers');
      expect(code).not.toContain('num_workers=0');
    }
  }
});
