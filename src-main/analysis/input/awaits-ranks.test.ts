import { expect, test } from 'vitest';
import type { Frame } from '../../shared/model/stacks.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { asleep, wakes, wokenBy } from '../testing/loader-trace.ts';
import { awaitsRanks } from './awaits-ranks.ts';

const TORCH = '/opt/venv/lib/python3.11/site-packages/torch';
const python = (symbol: string, file: string): Frame => ({
  symbol,
  file,
  line: 1,
  language: 'python',
});
const training = python('step', '/home/user/train.py');
const BACKWARD = [
  python('backward', `${TORCH}/autograd/__init__.py`),
  python('Tensor.backward', `${TORCH}/_tensor.py`),
  training,
];
const FORWARD = [
  python('DistributedDataParallel.forward', `${TORCH}/nn/parallel/distributed.py`),
  training,
];
const OWN = [training];

const network = { wakerContext: wakes.softirq };
const [MAIN, POLLER, OTHER_RANK] = [0, 1, 2];

/** Of the main thread's wait of 50 ms, ended by `ended`, with the waits of others. */
function answer(stack: readonly Frame[], ended: object, ...others: ReturnType<typeof asleep>[]) {
  const wait = asleep(MAIN, 10e6, 60e6, { stack: 0, ...ended });
  const trace = buildTrace({
    processes: [{ pid: 10 }, { pid: 20 }],
    threads: [{ tid: 10 }, { tid: 11 }, { tid: 20, process: 1 }],
    stacks: [[...stack]],
    rows: { off_cpu: [wait, ...others.map((other) => ({ stack: -1, ...other }))] },
  });
  return awaitsRanks(trace, 0);
}

const polls = asleep(POLLER, 9e6, 59.9e6, network);

test('a wait in a backward pass, or of a distributed model, that a thread of its own passed on from the network', () => {
  expect(answer(BACKWARD, wokenBy(POLLER), polls)).toBe(true);
  expect(answer(FORWARD, wokenBy(POLLER), polls)).toBe(true);
});

test('or from another process of this machine', () => {
  expect(answer(BACKWARD, wokenBy(POLLER), asleep(POLLER, 9e6, 59.9e6, wokenBy(OTHER_RANK)))).toBe(
    true,
  );
});

test('not one in the job’s own code, or that a thread of its own computed for', () => {
  expect(answer(OWN, wokenBy(POLLER), polls)).toBe(false);
  expect(answer(BACKWARD, wokenBy(POLLER))).toBe(false);
  expect(
    answer(BACKWARD, wokenBy(POLLER), asleep(POLLER, 9e6, 59.9e6, { wakerContext: wakes.timer })),
  ).toBe(false);
});

test('not one that nobody passed on', () => {
  expect(answer(BACKWARD, network)).toBe(false);
  expect(answer(BACKWARD, wokenBy(OTHER_RANK))).toBe(false);
});
