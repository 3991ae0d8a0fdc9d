import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';

test('names the process, its time and its CPU; the recorder apart from it', () => {
  const judgement = noisyNeighbour.judge(exampleFacts('noisy-neighbour'));
  expect(judgement?.sentence).toMatch(
    /^While xz \(pid 103\) ran on CPU 1, the main threads of the training process and its workers waited 3\.000 s in all/,
  );
  expect(judgement?.gain).toMatchObject({ reach: 'waits' });
  // Of a real-time thread nice values mean nothing.
  expect(judgement?.fix.after).toBe('chrt --all-tasks --idle --pid 0 103');
  expect(judgement?.evidence.map(({ text }) => text).join(' ')).toContain(
    'waited 500.0 ms while the recorder (stalltrace-agen (pid 104)) ran',
  );
  for (const { text } of judgement?.evidence.slice(0, 2) ?? [])
    expect(text).toMatch(/^The main threads of the training process and its workers waited /);
  const alone = { ...exampleFacts('noisy-neighbour'), workers: [] };
  expect(noisyNeighbour.judge(alone)?.sentence).toContain('ran on CPU 1, the main thread waited');
});

test('a recorder that took the time is blamed itself', () => {
  const example = exampleFacts('noisy-neighbour');
  const neighbours = example.neighbours.filter(({ relation }) => relation === 'recorder');
  const judgement = noisyNeighbour.judge({ ...example, neighbours });
  expect(judgement?.title).toBe('The recorder itself took CPU time from the job');
});

test('kernel threads alone are nobody’s neighbour', () => {
  const example = exampleFacts('noisy-neighbour');
  const neighbours = example.neighbours.map((it) => ({ ...it, relation: 'kernel' as const }));
  expect(noisyNeighbour.judge({ ...example, neighbours })).toBeUndefined();
});

test('silent when throttled, when the CPU was idle, and where the wait cost nothing', () => {
  const { neighbours, trace } = exampleFacts('noisy-neighbour');
  for (const cause of ['throttled', 'idle-cpu', 'runnable-own'] as const) {
    const facts = buildFacts({ neighbours, costs: [cell('input', 'worker', cause, 3 * SECOND)] });
    expect(noisyNeighbour.judge({ ...facts, trace }), cause).toBeUndefined();
  }
  expect(noisyNeighbour.judge({ ...buildFacts({ neighbours }), trace })).toBeUndefined();
});
