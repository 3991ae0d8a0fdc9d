import { expect, test } from 'vitest';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';

const [LAUNCH, STEP] = [0, 1];
/** Of x86-64: epoll_wait, accept4, futex, poll. */
const [EPOLL, ACCEPT, FUTEX, POLL] = [232, 288, 202, 7];
const [MAIN, HELPER, CLIENT] = [0, 1, 2];

interface Loop {
  readonly wait?: Row<'off_cpu'>;
  readonly count?: number;
  readonly sleptNs?: number;
  readonly call?: Row<'cuda_call'>;
  readonly rows?: TracePlan['rows'];
  readonly set?: Parameters<typeof withRoles>[1];
}

/** A process of no known name that sleeps for 80 of each 100 ns, then makes a CUDA call. */
function processOf({ wait, count = 10, sleptNs = 80, call, rows, set }: Loop = {}) {
  const times = Array.from({ length: count }, (_, at) => at * 100);
  const trace = buildTrace({
    names: [
      ['CUDA', 'cudaLaunchKernel'],
      ['ANNOTATION', 'ProfilerStep#1'],
    ],
    machine: { cpuModel: 'AMD EPYC' },
    processes: [
      { pid: 1, name: 'python3', commandLine: 'python3 serve.py' },
      { pid: 2, name: 'curl' },
    ],
    threads: [
      { tid: 1, process: 0 },
      { tid: 3, process: 0 },
      { tid: 2, process: 1 },
    ],
    rows: {
      cuda_call: times.map((ns) => ({
        ...{ startNs: ns + 85, durationNs: 10, thread: MAIN, op: LAUNCH },
        ...call,
      })),
      off_cpu: times.map((startNs) => ({
        ...{ startNs, durationNs: sleptNs, thread: MAIN, state: 1, runQueueNs: 0 },
        ...{ syscall: EPOLL, waker: CLIENT, ...wait },
      })),
      ...rows,
    },
  });
  return withRoles(trace, set).processes[0];
}

test('a main thread that sleeps in epoll or accept and then makes CUDA calls serves', () => {
  const { role, roleBasis } = processOf();
  expect(role).toBe('server');
  expect(roleBasis).toMatch(
    /^sleeps in epoll_wait for 8\d\.\d % of its time, and makes CUDA calls after 10 such waits, as a server does \(inferred\); makes all 10 CUDA calls/,
  );
  expect(processOf({ wait: { syscall: ACCEPT } }).roleBasis).toContain('sleeps in accept4');
});

test.each<[string, Loop]>([
  ['waits for something else', { wait: { syscall: FUTEX } }],
  ['waits as a DataLoader’s queue is waited for', { wait: { syscall: POLL } }],
  ['is woken by its own threads', { wait: { waker: HELPER } }],
  ['sleeps for less than half of the time', { sleptNs: 40 }],
  ['did so a few times only', { count: 4 }],
  ['makes its CUDA calls on another thread than the one that sleeps', { call: { thread: HELPER } }],
  ['marks its steps', { rows: { range: [{ startNs: 0, durationNs: 9, thread: MAIN, op: STEP }] } }],
  ['is said to train', { set: [{ pid: 1, role: 'main' }] }],
])('one that %s does not', (_, loop) => {
  expect(processOf(loop).role).toBe('main');
});
