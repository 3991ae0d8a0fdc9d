import { describe, expect, test } from 'vitest';
import { claimCells } from '../claim-costs.ts';
import { gainBound } from '../gain-bound.ts';
import { rules } from '../rules.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import {
  hostPlan,
  loopDatabasePlan,
  loopLockPlan,
  loopRoomPlan,
  SYSCALL,
  waitRows,
} from '../testing/host-examples.ts';
import { moreWorkers } from './more-workers.ts';
import { sharedLock } from './shared-lock.ts';

const costs = [cell('input', 'worker', 'shared-lock', 3 * SECOND)];

/** Waits of the workers; each `[thread, startMs, endMs, waker]`, woken by a task, or where that is -1 by a timer. */
function judge(
  waits: readonly (readonly [thread: number, startMs: number, endMs: number, waker: number])[],
  more: Readonly<Record<string, number>>,
  names: readonly [string, string][] = [],
) {
  const facts = buildFacts({
    workers: [{}, {}],
    costs,
    trace: {
      names,
      machine: { cpuModel: 'Intel Xeon' },
      processes: [
        { pid: 100, name: 'python3', role: 'main' },
        { pid: 101, name: 'python3', role: 'dataloader-worker', parent: 0 },
        { pid: 102, name: 'python3', role: 'dataloader-worker', parent: 0 },
        { pid: 900, name: 'backup' },
      ],
      threads: [100, 101, 102, 900].map((tid, process) => ({ tid, process, name: 'x' })),
      rows: {
        off_cpu: waits.map(([thread, startMs, endMs, waker]) => ({
          ...{ thread, startNs: startMs * MS, durationNs: (endMs - startMs) * MS, waker, state: 1 },
          ...{ wakerContext: waker < 0 ? 4 : 1, runQueueNs: 0, syscallArg0: 8192, ...more },
        })),
      },
    },
  });
  return sharedLock.judge(facts);
}

test('workers that end each other’s waits take turns, and it is told how long each had the lock', () => {
  const judgement = sharedLock.judge(exampleFacts('shared-lock'));
  expect(judgement?.title).toContain('take turns');
  expect(judgement?.sentence).toBe(
    '2 workers waited 8.000 s in all (50.0 % of the making of batches) for a lock that processes share (/dev/shm/sem.turns). The training loop waited 3.000 s for that.',
  );
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.evidence[1]?.text).toContain('held for 100.0 ms at a time (median)');
});

test('what the lock costs can be won, and all other waits for a batch, but no work', () => {
  const facts = exampleFacts('shared-lock', {
    cpus: { machine: 2, usable: 2, basis: '' },
    workers: [{ states: { runningNs: 9 * SECOND } }, { states: { runningNs: 9 * SECOND } }],
    costs: [...costs, cell('input', 'worker', 'running', 3 * SECOND)],
  });
  const judgement = sharedLock.judge(facts);
  const bound = judgement && gainBound(facts, judgement);
  // Two CPUs take 9 s for it.
  expect(bound?.gainUpToNs).toBe(SECOND);
  expect(bound?.gainAssumes).toContain('2 CPUs');
});

test('a process that has a file’s lock is named', () => {
  const waits = [
    [1, 0, 1000, 3],
    [2, 0, 1200, 3],
  ] as const;
  const judgement = judge(waits, { syscall: 73, file: 0 }, [['', '/data/x (ext4)']]);
  expect(judgement?.title).toBe('Batches wait for a lock that another process has');
  expect(judgement?.sentence).toContain('the lock of /data/x (ext4)');
  expect(judgement?.culprit).toBe('x');
  expect(judgement?.evidence[1]?.text).toContain('with backup (pid 900) for 2.200 s');
  expect(judgement?.confidence).toBe('proven');
});

test('what another process gives to those that wait in shared memory need be no lock', () => {
  const judgement = judge([[1, 0, 1000, 3]], { syscall: 202, syscallArg1: 0x109 });
  expect(judgement?.title).toBe('Batches wait for another process');
  // Where it lies in memory is another place in the next run.
  expect(judgement?.culprit).toBeUndefined();
  expect(judgement?.confidence).toBe('likely');
});

test('of SQLite it is said that nobody wakes it', () => {
  const ladder = [1, 2, 5, 10, 15, 20, 25];
  let atMs = 0;
  const waits = ladder.map((ms) => {
    atMs += ms + 0.1;
    return [1, atMs - ms, atMs, -1] as const;
  });
  const judgement = judge(waits, { syscall: 230, file: 0 }, [['', '/data/rows.db-wal (ext4)']]);
  expect(judgement?.sentence).toContain('SQLite’s lock of /data/rows.db');
  expect(judgement?.culprit).toBe('rows.db');
  expect(judgement?.evidence[1]?.basis).toBe('unknown');
  expect(judgement?.fix.title).toContain('database');
});

test('more workers are no help to those that take turns', () => {
  const changes = { costs: [cell('input', 'worker', 'running', 3 * SECOND)] };
  const workers = (lockNs: number) => [
    { states: { runningNs: 9 * SECOND }, cycles: { running: 5 * SECOND, 'shared-lock': lockNs } },
  ];
  const given = (lockNs: number) =>
    moreWorkers.judge(exampleFacts('more-workers', { ...changes, workers: workers(lockNs) }));
  expect(given(0)).toBeDefined();
  expect(given(5 * SECOND)).toBeUndefined();
});

test('is silent where the loop did not wait for it', () => {
  expect(sharedLock.judge(exampleFacts('shared-lock', { costs: [] }))).toBeUndefined();
});

describe('the training loop itself', () => {
  const locked = (plan: FactsPlan) => sharedLock.judge(buildFacts(plan));

  test('takes turns with who waits for the lock too, and it is told how long each had it', () => {
    const judgement = locked(loopLockPlan);
    expect(judgement?.title).toBe(
      'The training loop and other processes take turns at a lock in note (train.py:103)',
    );
    expect(judgement?.culprit).toBe('note');
    expect(judgement?.sentence).toBe(
      'The training loop spent 500.0 ms (5.0 % of the time) on waiting for the lock of /data/model.pt (ext4) in note (train.py:103), every 4 steps. In 25 waits the lock was with tee (pid 301) for 500.0 ms; it was held for 35.00 ms at a time (median), 35.00 ms at most.',
    );
    expect(judgement?.fix.title).toContain('in a thread');
  });

  test('waits for SQLite’s lock, and who was at work on the database is said', () => {
    const judgement = locked(loopDatabasePlan);
    expect(judgement?.title).toBe(
      'The training loop waits for a database’s lock in note (train.py:103)',
    );
    expect(judgement?.sentence).toContain('SQLite’s lock of /data/rows.db');
    expect(judgement?.sentence).toMatch(
      /with files of that database: tee \(pid 301\) for 280\.0 ms/,
    );
    expect(judgement?.fix.title).toMatch(/^Let a thread write to the database in note/);
  });

  test('waits for a lock that a library tries to take again and again', () => {
    const waits = waitRows({
      ...{ count: 25, everyNs: 400 * MS, durationNs: 50 * MS, syscall: SYSCALL.nanosleep },
      ...{ wakerContext: 4, shown: 'polling' },
    });
    const plan = hostPlan('shared-lock', { lock: 1.25 * SECOND }, {}, waits);
    const judgement = locked(plan);
    expect(judgement?.title).toBe(
      'The training loop waits for a lock that other processes take too in note (train.py:104)',
    );
    expect(judgement?.sentence).toContain('a lock that filelock tries to take again and again');
    expect(judgement?.sentence).toContain('the library sleeps and tries again');
    expect(judgement?.fix.text).toContain('poll_interval');
  });

  test('is one cause of its time: no other rule claims it', () => {
    for (const plan of [loopLockPlan, loopDatabasePlan]) {
      const facts = buildFacts(plan);
      const told = rules.flatMap((rule) => {
        const judgement = rule.judge(facts);
        return judgement === undefined ? [] : [{ id: rule.id, judgement }];
      });
      const claims = claimCells(told, facts.costs).filter(({ cells }) => cells.length > 0);
      expect(claims.map(({ id }) => id)).toEqual(['shared-lock']);
    }
  });

  test('waits for room in shared memory, which need be no lock, and it is told what the other one did', () => {
    const facts = buildFacts(loopRoomPlan);
    const judgement = sharedLock.judge(facts);
    expect(judgement?.title).toBe(
      'The training loop waits for another process in note (train.py:103)',
    );
    expect(judgement?.sentence).toContain(
      '25 waits, by who ended them: tee (pid 301) for 500.0 ms. Meanwhile tee (pid 301) was asleep in look_up (server.py:9), waiting for a timer',
    );
    expect(judgement?.fix.title).toContain('keep up');
    // A server waits so for its requests.
    const steps = { ...facts.steps, serves: true as const };
    expect(sharedLock.judge({ ...facts, steps })).toBeUndefined();
  });
});
