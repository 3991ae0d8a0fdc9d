import { describe, expect, test } from 'vitest';
import { phaseRows } from '../../shared/words/phase-rows.ts';
import { waitChain } from '../chain/wait-chain.ts';
import { diagnose } from '../findings/diagnose.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';

/**
 * A server of one process: `engine` (thread 0) calls CUDA, `http` (thread 1) takes requests from a
 * socket and puts them in a queue, `logger` (thread 2) holds a lock at times. Times in ms.
 */
const MS = 1e6;
const [READ, FUTEX, EPOLL_WAIT, ACCEPT4] = [0, 202, 232, 288];
const [ENGINE, HTTP, LOGGER] = [0, 1, 2];
const TASK = 1;

type Wait = Row<'off_cpu'>;

function waited(
  thread: number,
  fromMs: number,
  toMs: number,
  syscall: number,
  more: Wait = {},
): Wait {
  const span = { startNs: fromMs * MS, durationNs: (toMs - fromMs) * MS };
  return {
    thread,
    ...span,
    state: 1,
    syscall,
    runQueueNs: 0,
    waker: -1,
    wakerContext: 0,
    file: -1,
    ...more,
  };
}

const launch = (startMs: number, endMs: number): Row<'cuda_call'> => ({
  ...{ thread: ENGINE, op: 0, layer: 1, parent: -1, correlation: 0 },
  ...{ startNs: startMs * MS, durationNs: (endMs - startMs) * MS },
});

/** A program that the server started, in thread 3. */
const CHILD = 3;

function traceOf(waits: readonly Wait[], commandLine = 'python -m vllm serve a-model') {
  const off_cpu = [...waits].sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const plan = {
    names: [
      ['CUDA', 'cudaGraphLaunch'],
      ['FILE', 'pipe:[77]'],
    ] as const,
    processes: [
      { pid: 40, name: 'python3', commandLine },
      { pid: 50, name: 'python3', parent: 0 },
    ],
    threads: ['python3', 'http', 'logger', 'python3'].map((name, at) => ({
      ...{ tid: at === CHILD ? 50 : 40 + at, name },
      process: at === CHILD ? 1 : 0,
    })),
    machine: { cpuModel: 'AMD EPYC' },
    lengthNs: 1_000 * MS,
    rows: {
      cuda_call: [launch(0, 10), launch(500, 510), launch(900, 1_000)],
      off_cpu,
    },
  };
  return withRoles(buildTrace(plan));
}

const stepsOf = (waits: readonly Wait[], commandLine?: string) =>
  diagnose(traceOf(waits, commandLine)).diagnosis.ranks[0];

const idleMs = (waits: readonly Wait[], commandLine?: string) =>
  (stepsOf(waits, commandLine)?.steps.total.idle ?? Number.NaN) / MS;

describe('a server outside its CUDA calls', () => {
  test('is idle while it waits for a request, up to when that came', () => {
    expect(idleMs([waited(ENGINE, 100, 400, EPOLL_WAIT)])).toBe(300);
    expect(idleMs([waited(ENGINE, 100, 400, ACCEPT4, { runQueueNs: 50 * MS })])).toBe(250);
    // From within one call to within the next only the time between them counts.
    expect(idleMs([waited(ENGINE, 505, 920, EPOLL_WAIT)])).toBe(390);
  });

  test('is idle while its queue is empty: a thread that had read a socket filled it', () => {
    const queue = waited(ENGINE, 100, 400, FUTEX, { waker: HTTP, wakerContext: TASK });
    expect(idleMs([queue, waited(HTTP, 100, 399, EPOLL_WAIT)])).toBe(300);
    // It had read one long before, so it did something else meanwhile.
    expect(idleMs([queue, waited(HTTP, 100, 300, EPOLL_WAIT)])).toBe(0);
    const byLogger = { waker: LOGGER, wakerContext: TASK };
    expect(
      idleMs([waited(ENGINE, 100, 400, FUTEX, byLogger), waited(LOGGER, 90, 399, FUTEX)]),
    ).toBe(0);
    expect(idleMs([waited(ENGINE, 100, 400, FUTEX)])).toBe(0);
  });

  test('is not idle while a program that it started answers, unless that takes its requests', () => {
    const answer = waited(ENGINE, 100, 400, READ, {
      ...{ waker: CHILD, wakerContext: TASK, file: 1 },
    });
    expect(idleMs([answer])).toBe(0);
    expect(idleMs([answer, waited(CHILD, 50, 90, FUTEX)])).toBe(0);
    expect(idleMs([answer, waited(CHILD, 50, 90, EPOLL_WAIT)])).toBe(300);
    expect(idleMs([{ ...answer, waker: HTTP }])).toBe(300);
  });

  test('is not idle while it is ready to run, and a training process never is', () => {
    expect(idleMs([waited(ENGINE, 100, 400, EPOLL_WAIT, { state: 0, runQueueNs: 300 * MS })])).toBe(
      0,
    );
    expect(idleMs([waited(ENGINE, 100, 400, EPOLL_WAIT)], 'python train.py')).toBe(0);
  });

  test('says so: in the verdict, the steps, the costs and the wait chain', () => {
    const waits = [waited(ENGINE, 100, 400, EPOLL_WAIT), waited(ENGINE, 600, 850, EPOLL_WAIT)];
    const trace = traceOf(waits);
    const { diagnosis } = diagnose(trace);
    const [rank] = diagnosis.ranks;
    expect([diagnosis.verdict, rank?.verdict]).toEqual(['serving', 'serving']);
    expect(rank?.steps.note).toContain('Stalltrace takes this process for one: ');
    expect(rank?.sentence).toBe(
      'This job serves requests: 55.0 % of the time it was idle between requests, 33.0 % in other work outside CUDA calls; CUDA calls took 12.0 %, copies to the GPU 0 %. 1 time a request ended such a wait and CUDA calls followed: it was then busy for 200.0 ms. It waited for the next request for 250.0 ms (median); the longest wait was 300.0 ms.',
    );
    expect(rank && phaseRows(rank).map(({ label, share }) => [label, share])).toEqual([
      ['Copying to the GPU', '0 %'],
      ['Computing, or waiting for the GPU', '12.0 %'],
      ['Idle between requests', '55.0 %'],
      ['Other host time', '33.0 %'],
    ]);
    expect(diagnosis.costs.find(({ label }) => label === 'Idle between requests')?.ns).toBe(550e6);
    expect(diagnosis.findings).toEqual([]);
    const { segments } = waitChain(trace, undefined, ENGINE, 100 * MS, 400 * MS);
    expect(segments.map(({ reason }) => reason)).toEqual([
      'was idle between requests: it waited for one of its files or sockets, in epoll_wait',
    ]);
  });

  test('keeps the old words where nothing tells its waits apart', () => {
    const rank = stepsOf([waited(ENGINE, 100, 400, -1)]);
    expect(rank?.sentence).toContain('idle between requests or in other work on the CPU');
    expect(rank && phaseRows(rank).at(-1)?.label).toBe('Idle between requests, or other host time');
  });
});
