import { expect, test } from 'vitest';
import type { Row } from '../../testing/build-trace.ts';
import { buildFacts, cell, MS } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { gil } from './gil.ts';

function facts(change: (row: Row<'off_cpu'>) => Row<'off_cpu'>) {
  const example = exampleFacts('gil');
  const { columns, rows } = example.trace.tables.off_cpu;
  const changed = Array.from({ length: rows }, (_, row) =>
    change(Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[row]]))),
  );
  return buildFacts({
    trace: {
      processes: [{ pid: 100 }, { pid: 200 }],
      threads: [{ tid: 100 }, { tid: 107 }, { tid: 200, process: 1 }],
      rows: { off_cpu: changed },
      machine: { cpuModel: 'Intel Xeon' },
    },
  });
}

test('names the thread that held the interpreter, and the time', () => {
  const judgement = gil.judge(exampleFacts('gil'));
  expect(judgement?.sentence).toContain('mostly for decoder (thread 107)');
  expect(judgement?.sentence).toContain('2.680 s');
  expect(judgement?.evidence[0].text).toContain('1,000 waits on one lock, 500 of them until 5 ms');
  expect(judgement?.hotThreads).toEqual([1]);
});

test('the same waits are found without change', () => {
  expect(gil.judge(facts((row) => row))).toBeDefined();
});

test('other timeouts, other locks each time, and wakes by another process are no interpreter lock', () => {
  const slow = facts((row) => (row.wakerContext === 4 ? { ...row, durationNs: 10 * MS } : row));
  expect(gil.judge(slow)).toBeUndefined();
  const many = facts((row) => ({ ...row, syscallArg0: 4096 + 64 * (row.startNs ?? 0) }));
  expect(gil.judge(many)).toBeUndefined();
  const foreign = facts((row) => (row.waker === 1 ? { ...row, waker: 2 } : row));
  expect(gil.judge(foreign)).toBeUndefined();
  const polls = facts((row) => ({ ...row, syscall: 7 }));
  expect(gil.judge(polls)).toBeUndefined();
});

test('says how often, where the waits are not at every step alike', () => {
  expect(gil.judge(exampleFacts('gil'))?.sentence).toMatch(
    /\(GIL\), (at every step|in \d+ of 100 steps), mostly/,
  );
  const rare = facts((row) => ({
    ...row,
    startNs:
      Math.floor((row.startNs ?? 0) / (2000 * MS)) * 2000 * MS + ((row.startNs ?? 0) % (90 * MS)),
  }));
  expect(gil.judge(rare)?.sentence).toContain('(GIL), every 20 steps, mostly');
});

test('who is woken a thousand times and finds it taken waits for the interpreter too, though 5 ms are never up', () => {
  const woken = (count: number, ranNs: number) =>
    buildFacts({
      costs: [cell('other', 'main', 'lock', count * MS, { activity: 'gil' })],
      trace: {
        processes: [{ pid: 100 }],
        threads: [{ tid: 100 }, { tid: 107, name: 'plotter' }],
        rows: {
          off_cpu: Array.from({ length: count }, (_, at) => ({
            ...{ startNs: at * (MS + ranNs), durationNs: MS, runQueueNs: 0, state: 1, thread: 0 },
            ...{ waker: 1, wakerContext: 1, syscall: 202, syscallArg0: 4096, syscallArg1: 0x189 },
          })),
        },
        machine: { cpuModel: 'Intel Xeon' },
      },
    });
  const judgement = gil.judge(woken(1500, 5000));
  expect(judgement?.sentence).toContain('mostly for plotter (thread 107)');
  expect(judgement?.evidence[0].text).toContain(
    '1,500 waits on one lock, and found it taken again most times that it was woken',
  );
  expect(gil.judge(woken(900, 5000))).toBeUndefined();
  expect(gil.judge(woken(1500, MS))).toBeUndefined();
});

test('its fix names what the other thread ran, where that is known', () => {
  const example = exampleFacts('gil');
  expect(gil.judge(example)?.fix.title).toBe(
    'Move the work of the other Python threads into a process',
  );
  const { trace } = example;
  const named = buildFacts({
    trace: {
      processes: [{ pid: 100 }],
      threads: [{ tid: 100 }, { tid: 107 }],
      stacks: [[{ symbol: 'decode', file: '/home/me/train.py', line: 7, language: 'python' }]],
      rows: {
        off_cpu: Array.from({ length: trace.tables.off_cpu.rows }, (_, row) =>
          Object.fromEntries(
            Object.entries(trace.tables.off_cpu.columns).map(([name, cells]) => [name, cells[row]]),
          ),
        ),
        cpu_sample: Array.from({ length: 60 }, (_, at) => ({
          ...{ startNs: at * 100 * MS, thread: 1, stack: 0 },
        })),
      },
      machine: { cpuModel: 'Intel Xeon' },
    },
  });
  expect(gil.judge(named)?.fix.title).toBe(
    'Move the thread that runs decode (train.py:7) into a process',
  );
});
