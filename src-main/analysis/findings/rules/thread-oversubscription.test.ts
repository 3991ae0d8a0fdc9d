import { expect, test } from 'vitest';
import { exampleFacts } from '../testing/examples.ts';
import { crowdedTrace } from '../testing/loop-examples.ts';
import { threadOversubscription } from './thread-oversubscription.ts';

const example = exampleFacts('thread-oversubscription');

test('counts the threads that compute and where they are', () => {
  const judgement = threadOversubscription.judge(example);
  expect(judgement?.sentence).toContain(
    '4 threads of the job computed at a time on 2 CPUs, up to 3 in one process',
  );
  expect(judgement?.hotThreads).toEqual([2, 3]);
});

test('threads that the dataset starts are named by what they do, and no library is told to have fewer', () => {
  const pool = { trace: crowdedTrace({ filling: 40 }) };
  const judgement = threadOversubscription.judge(exampleFacts('thread-oversubscription', pool));
  expect(judgement?.evidence.at(-1)?.basis).toBe('inferred');
  expect(judgement?.sentence).toContain('of these threads were in decode (train.py:12).');
  expect(judgement?.fix.title).toBe('Do without threads inside the workers');
  const feeder = { trace: crowdedTrace({ pickling: 40 }) };
  for (const other of [{}, feeder])
    expect(
      threadOversubscription.judge(exampleFacts('thread-oversubscription', other))?.fix.title,
    ).toBe('Give each worker one thread');
});

test('silent where there are CPUs enough', () => {
  const cpus = { machine: 16, usable: 16, basis: '' };
  expect(threadOversubscription.judge({ ...example, cpus })).toBeUndefined();
});

test('one thread a process is a matter of workers, not of threads', () => {
  const workers = [1, 2, 3].map((thread) => ({
    ...example.workers[0],
    mainThread: thread,
    threads: [thread],
  }));
  expect(threadOversubscription.judge({ ...example, workers })).toBeUndefined();
});

test('threads that make CUDA calls belong to the training process', () => {
  const rank = { ...example.rank, cudaThreads: [0, 1, 2, 3], process: 1 };
  expect(threadOversubscription.judge({ ...example, rank, workers: [] })).toBeUndefined();
});

test('where workers wait for what their threads do, it is that work which takes long', () => {
  const [worker] = example.workers;
  const waits = { ...worker.cycles, lock: 9e9, sleeping: 0 };
  const pool = { trace: crowdedTrace({ filling: 40 }), workers: [{ ...worker, cycles: waits }] };
  expect(
    threadOversubscription.judge(exampleFacts('thread-oversubscription', pool)),
  ).toBeUndefined();
});

test('threads that hand batches over are none that a library could do without', () => {
  const { trace } = example;
  const threads = trace.threads.map((thread, at) =>
    at === 2 ? { ...thread, role: 'queue-feeder' as const } : thread,
  );
  const judgement = threadOversubscription.judge({ ...example, trace: { ...trace, threads } });
  expect(judgement?.hotThreads).toEqual([3]);
  const all = threads.map((thread, at) =>
    at === 3 ? { ...thread, role: 'resource-sharer' as const } : thread,
  );
  expect(
    threadOversubscription.judge({ ...example, trace: { ...trace, threads: all } }),
  ).toBeUndefined();
});
