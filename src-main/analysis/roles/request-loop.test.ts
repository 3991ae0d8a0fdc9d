import { expect, test } from 'vitest';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';

const [LAUNCH, STEP] = [0, 1];
/** Names of files, as the agent writes them. */
const [LISTENS, COMES_IN, GOES_OUT, PIPE, GIVEN] = [2, 3, 4, 5, 6];
/** Of x86-64: epoll_wait, accept4, futex, poll, recvfrom. */
const [EPOLL, ACCEPT, FUTEX, POLL, RECEIVE] = [232, 288, 202, 7, 45];
const socketNames = [
  'socket',
  'socket from 10.0.0.7',
  'socket to 10.0.0.2:6379 (redis-server, pid 2)',
  'pipe',
  'socket to 127.0.0.1:38208 (python3, pid 7)',
].map((name) => ['', name] as const);
const TASK = codeOf(wakeContexts, 'task');
const TIMER = codeOf(wakeContexts, 'timer');
const SOFTIRQ = codeOf(wakeContexts, 'softirq');
const [MAIN, HELPER, CLIENT, LISTENER] = [0, 1, 2, 3];

interface Loop {
  readonly wait?: Row<'off_cpu'>;
  readonly count?: number;
  readonly sleptNs?: number;
  readonly call?: Row<'cuda_call'>;
  readonly rows?: TracePlan['rows'];
  readonly worldSize?: number;
  readonly set?: Parameters<typeof withRoles>[1];
}

/** A process of no known name that sleeps for 80 of each 100 ns, then makes a CUDA call. */
function processOf({ wait, count = 10, sleptNs = 80, call, rows, worldSize, set }: Loop = {}) {
  const times = Array.from({ length: count }, (_, at) => at * 100);
  const trace = buildTrace({
    names: [['CUDA', 'cudaLaunchKernel'], ['ANNOTATION', 'ProfilerStep#1'], ...socketNames],
    machine: { cpuModel: 'AMD EPYC' },
    processes: [
      { pid: 1, name: 'python3', commandLine: 'python3 serve.py', ...(worldSize && { worldSize }) },
      { pid: 2, name: 'curl' },
    ],
    threads: [
      { tid: 1, process: 0 },
      { tid: 3, process: 0 },
      { tid: 2, process: 1 },
      { tid: 4, process: 0 },
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
  expect(processOf({ wait: { syscall: ACCEPT } }).roleBasis).toContain(
    'waits for requests on a socket, in accept4, for 8',
  );
});

test.each<[string, Loop]>([
  ['waits for something else', { wait: { syscall: FUTEX } }],
  ['waits as a DataLoader’s queue is waited for', { wait: { syscall: POLL } }],
  ['is woken by its own threads', { wait: { waker: HELPER } }],
  ['hardly ever sleeps', { sleptNs: 5 }],
  ['sleeps until its time is up', { wait: { wakerContext: TIMER } }],
  ['did so a few times only', { count: 4 }],
  ['makes its CUDA calls on another thread than the one that sleeps', { call: { thread: HELPER } }],
  ['marks its steps', { rows: { range: [{ startNs: 0, durationNs: 9, thread: MAIN, op: STEP }] } }],
  ['is said to train', { set: [{ pid: 1, role: 'main' }] }],
])('one that %s does not', (_, loop) => {
  expect(processOf(loop).role).toBe('main');
});

const ofNetwork = { waker: NONE, wakerContext: SOFTIRQ };

test.each<[string, Row<'off_cpu'>]>([
  ['for connections', { syscall: POLL, file: LISTENS, ...ofNetwork }],
  ['for data of a client', { syscall: RECEIVE, file: COMES_IN, ...ofNetwork }],
])('one that waits %s serves, busy as it may be', (_, wait) => {
  const { role, roleBasis } = processOf({ wait, sleptNs: 20 });
  expect(role).toBe('server');
  expect(roleBasis).toMatch(/^waits for requests on a socket, in (poll|recvfrom), for 2\d\.\d %/);
});

test.each<[string, Loop]>([
  ['asks a server itself', { wait: { syscall: RECEIVE, file: GOES_OUT, ...ofNetwork } }],
  ['polls a pipe', { wait: { syscall: POLL, file: PIPE, ...ofNetwork } }],
  [
    'is answered on a local socket',
    { wait: { syscall: RECEIVE, file: LISTENS, wakerContext: TASK } },
  ],
  [
    'hears from other ranks',
    { wait: { syscall: RECEIVE, file: COMES_IN, ...ofNetwork }, worldSize: 2 },
  ],
  [
    'looks for connections in passing',
    { wait: { syscall: POLL, file: LISTENS, ...ofNetwork }, sleptNs: 5 },
  ],
])('one that %s does not', (_, loop) => {
  expect(processOf(loop).role).toBe('main');
});

/** The helper takes `file` from a socket 5 ns before it wakes the thread that makes CUDA calls. */
function handedOn(file: number, sleptNs = 80, others: Row<'off_cpu'>[] = []): Loop {
  const times = Array.from({ length: 10 }, (_, at) => at * 100);
  const asleep = { state: 1, runQueueNs: 0, waker: NONE, wakerContext: SOFTIRQ };
  return {
    rows: {
      off_cpu: times.flatMap((startNs) => [
        { startNs, durationNs: sleptNs, thread: MAIN, ...asleep, syscall: FUTEX, waker: HELPER },
        { startNs, durationNs: sleptNs - 2, thread: HELPER, ...asleep, syscall: POLL, file },
        ...others.map((row) => ({ startNs, durationNs: 90, ...asleep, ...row })),
      ]),
    },
  };
}

test('one that is handed requests by a thread that waits for them serves', () => {
  const { role, roleBasis } = processOf(handedOn(LISTENS));
  expect(role).toBe('server');
  expect(roleBasis).toMatch(
    /^waits for a thread that takes requests from a socket, in poll, for 8/,
  );
});

test('where both ports say nothing, who waits for connections is the server', () => {
  const listens = { thread: LISTENER, syscall: POLL, file: LISTENS };
  expect(processOf(handedOn(GIVEN, 80, [listens])).role).toBe('server');
  expect(processOf(handedOn(GOES_OUT, 80, [listens])).role).toBe('main');
});

test.each<[string, Loop]>([
  ['is handed what a thread of it asked of a server', handedOn(GOES_OUT)],
  ['asks somebody whose port says nothing', handedOn(GIVEN)],
  ['waits for a thread that answers now and then', handedOn(LISTENS, 20)],
])('one that %s does not', (_, loop) => {
  expect(processOf(loop).role).toBe('main');
});

function threadPerRequest(taken: Row<'off_cpu'>) {
  const times = Array.from({ length: 10 }, (_, at) => at * 100);
  const trace = buildTrace({
    names: [['CUDA', 'cudaLaunchKernel'], ['', ''], ...socketNames],
    machine: { cpuModel: 'AMD EPYC' },
    processes: [{ pid: 1, name: 'python3' }],
    threads: [
      { tid: 1, process: 0 },
      ...times.map((ns, at) => ({ tid: at + 2, process: 0, startNs: ns + 82 })),
    ],
    rows: {
      cuda_call: times.map((ns, at) => ({
        ...{ startNs: ns + 85, durationNs: 10, thread: at + 1, op: LAUNCH },
      })),
      off_cpu: times.map((startNs) => ({
        ...{ startNs, durationNs: 80, thread: MAIN, state: 1, runQueueNs: 0 },
        ...{ syscall: POLL, file: LISTENS, ...ofNetwork, ...taken },
      })),
    },
  });
  return withRoles(trace).processes[0];
}

test('one that starts a thread for each request serves', () => {
  expect(threadPerRequest({}).roleBasis).toMatch(
    /^makes its CUDA calls in 10 threads that each began as a request came in on a socket/,
  );
  expect(threadPerRequest({ file: GOES_OUT }).role).toBe('main');
});
