import { expect, test } from 'vitest';
import { noEvents } from '../../../shared/model/event-ref.ts';
import type { Row } from '../../testing/build-trace.ts';
import { toldTime } from '../claim-costs.ts';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { hostPlan, SYSCALL, waitRows } from '../testing/host-examples.ts';
import { sampled } from '../testing/sampled.ts';
import { ownProcess } from './own-process.ts';
import { producer } from './producer.ts';

/** Thread 1 is of the training process, thread 2 of a child. */
const [TASK, OWN_THREAD, CHILD] = [1, 1, 2];
const waits = { count: 25, everyNs: 400 * MS, syscall: SYSCALL.futex, wakerContext: TASK };

/** The training thread waits in a queue for a thread of its own; `more` of what others did. */
function judge(...given: Parameters<typeof factsOf>) {
  return producer.judge(factsOf(...given));
}

function factsOf(samples: Parameters<typeof sampled>, more: readonly Row<'off_cpu'>[] = []) {
  const own = {
    ...waits,
    durationNs: 90 * MS,
    waker: OWN_THREAD,
    shown: 'waitingForMade',
  } as const;
  const rows = [...waitRows(own), ...more].sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const plan = hostPlan('producer', { lock: 2.25 * SECOND }, {}, rows);
  const cpu_sample = sampled(...samples).rows?.cpu_sample ?? [];
  const trace = { ...plan.trace, rows: { ...plan.trace?.rows, cpu_sample } };
  return buildFacts({ ...plan, trace });
}

test('names the function that a thread fills the queue with', () => {
  const found = judge([{ filling: 60 }, OWN_THREAD]);
  expect(found?.title).toBe(
    'What the training loop waits for is made too slowly, in decode (train.py:12)',
  );
  expect(found?.culprit).toBe('decode');
  expect(found?.sentence).toContain('It waited for refresher (thread 107).');
  expect(found?.hotThreads).toEqual([OWN_THREAD, 0]);
});

test('looks through the thread that takes results out of a pipe, to what the pool was given', () => {
  const passing = { ...waits, durationNs: 89 * MS, thread: OWN_THREAD, waker: CHILD };
  const found = judge([{ pooled: 60 }, CHILD], waitRows(passing));
  expect(found?.culprit).toBe('decode_batch');
  expect(found?.sentence).toContain('It waited for gzip (pid 300).');
  expect(found?.sentence).toContain('on a CPU in round_up (numbers.py:3)');
});

test('the CPUs that those who make it had are no second cause: as much of the waits for them is told with it', () => {
  const passing = { ...waits, durationNs: 89 * MS, thread: OWN_THREAD, waker: CHILD };
  const neighbours = [
    { process: 1, relation: 'own-rank', ns: 3 * MS, events: noEvents },
    { process: 0, relation: 'own-rank', ns: MS, events: noEvents },
  ] as const;
  const facts = factsOf([{ pooled: 60 }, CHILD], waitRows(passing));
  const costs = [...facts.costs, cell('other', 'main', 'runnable-own', SECOND)];
  const crowded = { ...facts, neighbours, costs };
  const found = producer.judge(crowded);
  expect(found?.sentence).toContain(
    'Besides, it waited about 750.0 ms for a CPU that gzip (pid 300) had: 3.000 s in all.',
  );
  expect(found && toldTime(found, costs)).toBe((2.25 + 0.75) * SECOND);
  expect(costs.filter((each) => found?.beside?.(each) === false)).not.toEqual([]);
  expect(found?.beside?.(cell('other', 'main', 'runnable-own', SECOND))).toBe(true);
  expect(ownProcess.judge(crowded)).toBeUndefined();
});

test('tells what it waits in where nothing was seen of who makes it', () => {
  const found = judge([{}, OWN_THREAD]);
  expect(found?.title).toContain('make in take (train.py:96)');
  expect(found?.culprit).toBe('take');
});
