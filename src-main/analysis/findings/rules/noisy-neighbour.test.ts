import { describe, expect, test } from 'vitest';
import type { ThreadInfo } from '../../../shared/model/trace.ts';
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
    'waited 500.0 ms while the recorder (stalltrace-agent (pid 104)) ran',
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

describe('who goes before the job', () => {
  const judge = (neighbour: Partial<ThreadInfo>, nice?: number) => {
    const { neighbours, trace, ...example } = exampleFacts('noisy-neighbour');
    const on_cpu = { ...trace.tables.on_cpu, columns: { ...trace.tables.on_cpu.columns } };
    on_cpu.columns.thread = Int32Array.of(3);
    const threads = [0, 1, 2, 3].map((process) => ({
      ...{ tid: 100 + process, process, name: 'x', role: 'other' as const },
      ...(process === 0 && nice !== undefined && { nice }),
      ...(process === 3 && neighbour),
    }));
    const changed = { ...trace, threads, tables: { ...trace.tables, on_cpu } };
    return noisyNeighbour.judge({ ...example, neighbours, trace: changed });
  };

  test('a real-time thread does, and no nice value changes that', () => {
    const judgement = judge({ policy: 'fifo', priority: 10, nice: 0 }, 0);
    expect(judgement?.title).toBe(
      'xz (pid 103) took CPU time from the job, with real-time priority',
    );
    expect(judgement?.evidence.at(-1)?.text).toContain('is real-time (SCHED_FIFO, priority 10)');
    expect(judgement?.fix.after).toBe('chrt --all-tasks --other --pid 0 103');
    expect(judgement?.fix.text).toContain('`renice` does nothing');
  });

  test('one with a lower nice value has more of the CPU', () => {
    const judgement = judge({ policy: 'other', nice: -10 }, 5);
    expect(judgement?.title).toContain(', with a lower nice value');
    expect(judgement?.evidence.at(-1)?.text).toContain('value of -10, the training loop 5');
    expect(judgement?.fix.after).toBe('renice -n 5 -p 103');
  });

  test('one like the job does not, and nothing is said of real-time', () => {
    const judgement = judge({ policy: 'other', nice: 0 }, 0);
    expect(judgement?.title).toBe('xz (pid 103) took CPU time from the job');
    expect(judgement?.fix.text).not.toContain('FF or RR');
    expect(judgement?.fix.text).toContain('no better priority than the job');
  });

  test('where the job’s own nice value is not known, nothing is compared', () => {
    const judgement = judge({ policy: 'other', nice: -10 });
    expect(judgement?.title).toBe('xz (pid 103) took CPU time from the job');
    expect(judgement?.fix.text).toContain('FF or RR');
  });
});
