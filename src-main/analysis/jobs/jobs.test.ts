import { describe, expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type TracePlan } from '../testing/build-trace.ts';
import { jobsOf, rankOfThread, workerPlaceOf } from './job-index.ts';
import { labelThread } from './thread-label.ts';

const names = [
  ['CUDA', 'cudaLaunchKernel'],
  ['CUDA', 'cudaStreamSynchronize'],
] as const;

type Process = NonNullable<TracePlan['processes']>[number];

/** One thread for each process, of its pid, and the CUDA calls `[thread, op]`. */
function traceOf(
  processes: readonly Process[],
  calls: readonly (readonly [thread: number, op: number])[],
  threads: NonNullable<TracePlan['threads']> = [],
): Trace {
  const first = processes.map(({ pid = 0, name = '' }, process) => ({ tid: pid, process, name }));
  const rows = { cuda_call: calls.map(([thread, op]) => ({ thread, op })) };
  return withRoles(buildTrace({ names, processes, threads: [...first, ...threads], rows }));
}

const worker = (pid: number, parent: number, startNs: number, endNs?: number): Process => ({
  ...{ pid, name: 'python3', parent, startNs, role: 'dataloader-worker' },
  ...(endNs === undefined ? {} : { endNs }),
});

/** torchrun 10 with ranks 1 (pid 20) and 0 (pid 21), each with two workers, and a stranger. */
function twoRanks(): Trace {
  return traceOf(
    [
      {
        pid: 10,
        name: 'torchrun',
        role: 'main',
        roleBasis: 'a Python process that forked workers',
      },
      { pid: 20, name: 'python3', parent: 0, rank: 1, worldSize: 2 },
      { pid: 21, name: 'python3', parent: 0, rank: 0, worldSize: 2 },
      { ...worker(30, 1, 1e9), rank: 1 },
      { ...worker(31, 2, 1.01e9), rank: 0 },
      { ...worker(32, 1, 1.02e9), rank: 1 },
      { ...worker(33, 2, 1.03e9), rank: 0 },
      { pid: 40, name: 'rsync' },
      { pid: 34, name: 'ffmpeg', parent: 3 },
      { pid: 11, name: 'python3', parent: 0 },
    ],
    [
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ],
  );
}

describe('jobsOf, of several hosts', () => {
  const ranksOf = (first: number, second: number) => {
    const rank = (host: number, number: number) => ({
      ...{ pid: 96, host, rank: number, worldSize: 2, role: 'main' as const },
    });
    const trace = buildTrace({
      processes: [rank(0, first), rank(1, second)],
      threads: [
        { tid: 96, process: 0 },
        { tid: 96, process: 1 },
      ],
      rows: { cuda_call: [{ thread: 0 }, { thread: 1 }] },
    });
    const jobs = jobsOf({ ...trace, hosts: [{ hostname: 'a' }, { hostname: 'b' }] });
    return jobs.map(({ ranks }) => ranks.map(({ label }) => label));
  };

  test('takes ranks of one run for one job, and names their hosts', () => {
    expect(ranksOf(0, 1)).toEqual([['rank 0 · pid 96 on a', 'rank 1 · pid 96 on b']]);
  });

  test('takes one rank on two hosts for two runs', () => {
    expect(ranksOf(0, 0)).toEqual([['pid 96 on a'], ['pid 96 on b']]);
  });
});

describe('jobsOf', () => {
  test('puts workers to their rank, and the launcher to none', () => {
    const trace = twoRanks();
    const [job, ...others] = jobsOf(trace);
    expect(others).toEqual([]);
    expect(job).toMatchObject({ label: '2 ranks started by torchrun (pid 10)', others: [0, 9] });
    expect(job.ranks.map(({ label }) => label)).toEqual(['rank 0 · pid 21', 'rank 1 · pid 20']);
    expect(job.ranks.map(({ generations }) => generations.map(({ workers }) => workers))).toEqual([
      [[4, 6]],
      [[3, 5]],
    ]);
    expect(job.ranks[1].processes.toSorted()).toEqual([1, 3, 5, 8]);
    expect(trace.processes[0]).toMatchObject({
      role: 'launcher',
      roleBasis: 'started 2 training processes and trains nothing itself',
    });
    expect(rankOfThread(trace, 3)?.rank).toBe(1);
    expect(rankOfThread(trace, 8)?.rank).toBe(1);
    expect(rankOfThread(trace, 7)).toBeUndefined();
    expect(workerPlaceOf(trace, 6)).toMatchObject({ number: 1, generation: 0 });
  });

  test('joins siblings that all call CUDA, but not trainings that follow each other', () => {
    const siblings = (startNs: number) =>
      traceOf(
        [
          { pid: 10, name: 'python3' },
          { pid: 20, name: 'python3', parent: 0, startNs: 1e9, endNs: 5e9 },
          { pid: 21, name: 'python3', parent: 0, startNs },
        ],
        [
          [1, 0],
          [2, 0],
        ],
      );
    expect(jobsOf(siblings(2e9)).map(({ ranks }) => ranks.length)).toEqual([2]);
    expect(jobsOf(siblings(6e9)).map(({ ranks }) => ranks.length)).toEqual([1, 1]);
  });

  test('does not join what was started from one shell', () => {
    const trace = traceOf(
      [
        { pid: 10, name: 'bash' },
        { pid: 20, name: 'python3', parent: 0 },
        { pid: 21, name: 'python3', parent: 0 },
      ],
      [
        [1, 0],
        [2, 0],
      ],
    );
    expect(jobsOf(trace).map(({ label }) => label)).toEqual([
      'python3 (pid 20)',
      'python3 (pid 21)',
    ]);
  });

  test('leaves the workers of a worker to it', () => {
    const processes = [
      { pid: 10, name: 'python3' },
      worker(20, 0, 1e9),
      worker(21, 1, 2e9),
      { pid: 22, name: 'sox', parent: 2 },
    ];
    const [{ ranks }] = jobsOf(traceOf(processes, [[0, 1]]));
    expect(ranks[0].generations.map(({ workers }) => workers)).toEqual([[1]]);
    expect(ranks[0].processes).toEqual([0, 1, 2, 3]);
  });

  test('takes the thread that waits for the GPU for the main one, not autograd’s', () => {
    const calls = [
      ...Array.from({ length: 300 }, () => [1, 0] as const),
      ...Array.from({ length: 100 }, () => [2, 0] as const),
      ...Array.from({ length: 10 }, () => [2, 1] as const),
      [0, 0] as const,
    ];
    const threads = [
      { tid: 11, process: 0, name: 'python3' },
      { tid: 12, process: 0, name: 'python3' },
    ];
    const [{ ranks }] = jobsOf(traceOf([{ pid: 10, name: 'python3' }], calls, threads));
    expect(ranks[0]).toMatchObject({ mainThread: 2, cudaThreads: [2, 1, 0] });
  });

  test('keeps the first thread as the main one where autograd launches most', () => {
    const calls = [
      ...Array.from({ length: 300 }, () => [1, 0] as const),
      ...Array.from({ length: 100 }, () => [0, 0] as const),
    ];
    const threads = [{ tid: 11, process: 0, name: 'pt_autograd_0' }];
    const trace = traceOf([{ pid: 10, name: 'python3' }], calls, threads);
    expect(jobsOf(trace)[0].ranks[0].mainThread).toBe(0);
    expect(trace.threads[1]).toMatchObject({
      role: 'autograd',
      roleBasis: 'named pt_autograd_0, the name of an autograd thread',
    });
  });

  test('is not hung by parents in a circle', () => {
    const processes = [0, 1, 2, 3].map((at) => ({ pid: 10 + at, name: 'x', parent: (at + 1) % 4 }));
    const [job] = jobsOf(traceOf(processes, [[2, 0]]));
    expect(job.ranks[0].process).toBe(2);
  });

  test('walks a chain of 100,000 processes', () => {
    const processes = Array.from({ length: 100_000 }, (_, at) => ({
      pid: at + 10,
      name: 'python3',
      parent: at - 1,
    }));
    const trace = traceOf(processes, [[0, 0]]);
    expect(jobsOf(trace)[0].ranks[0].processes).toHaveLength(100_000);
    expect(rankOfThread(trace, 99_999)?.process).toBe(0);
  });
});

describe('worker generations', () => {
  const generationsOf = (workers: readonly Process[], threadStartsNs: readonly number[] = []) => {
    const threads = threadStartsNs.map((startNs, at) => ({
      ...{ tid: 900 + at, process: 0, name: 'python3', startNs },
    }));
    const trace = traceOf([{ pid: 10, name: 'python3' }, ...workers], [[0, 1]], threads);
    return jobsOf(trace)[0].ranks[0].generations.map(({ workers: members, loader }) => ({
      pids: members.map((process) => trace.processes[process].pid),
      loader,
    }));
  };

  test('of two epochs are of one loader', () => {
    const epochs = [
      ...[worker(20, 0, 1e9, 2e9), worker(21, 0, 1.01e9, 2.01e9)],
      ...[worker(22, 0, 2.1e9, 3e9), worker(23, 0, 2.11e9, 3e9)],
    ];
    expect(generationsOf(epochs)).toEqual([
      { pids: [20, 21], loader: 0 },
      { pids: [22, 23], loader: 0 },
    ]);
  });

  test('of two loaders at one time are told apart by the threads that feed the first', () => {
    const both = [
      worker(20, 0, 1e9),
      worker(21, 0, 1.01e9),
      worker(22, 0, 1.04e9),
      worker(23, 0, 1.05e9),
    ];
    const apart = [
      { pids: [20, 21], loader: 0 },
      { pids: [22, 23], loader: 1 },
    ];
    expect(generationsOf(both, [1.02e9, 1.03e9])).toEqual(apart);
    expect(generationsOf(both, [])).toEqual([{ pids: [20, 21, 22, 23], loader: 0 }]);
  });

  test('of validation with fewer workers are another loader’s', () => {
    const epochs = [
      ...[worker(20, 0, 1e9, 2e9), worker(21, 0, 1.01e9, 2e9)],
      ...[worker(22, 0, 2.1e9, 2.4e9)],
      ...[worker(23, 0, 2.5e9, 3e9), worker(24, 0, 2.51e9, 3e9)],
    ];
    expect(generationsOf(epochs).map(({ loader }) => loader)).toEqual([0, 1, 0]);
  });

  test('are numbered in order of birth, whatever the order of the file', () => {
    expect(generationsOf([worker(21, 0, 1.01e9), worker(20, 0, 1e9)])[0].pids).toEqual([20, 21]);
  });
});

describe('labelThread', () => {
  test('a Python is told by what it is of, or by its script', () => {
    const job = 'python3 /jobs/train.py --epochs 3';
    const python = (pid: number, commandLine?: string, parent = 0): Process => ({
      ...{ pid, name: 'python3.11', parent, role: 'other' },
      ...(commandLine !== undefined && { commandLine }),
    });
    const trace = traceOf(
      [
        { pid: 20, name: 'python3', commandLine: job },
        python(21),
        python(22, job),
        python(23, 'python3 -c from multiprocessing.resource_tracker import main;main(4)'),
        python(24, 'python3 -u /jobs/collect.py out.csv'),
        python(30, 'python3 /srv/indexer.py', -1),
        python(31, undefined, -1),
      ],
      [[0, 0]],
    );
    const names = trace.threads.map((_, thread) => labelThread(trace, thread, undefined).name);
    expect(names).toEqual([
      'Training process',
      'Child of the training process',
      'Child of the training process',
      'Child of the training process',
      'collect.py',
      'indexer.py',
      'python3.11',
    ]);
  });

  test('says what a thread is beside the rank that is explained', () => {
    const trace = twoRanks();
    const from = jobsOf(trace)[0].ranks[1];
    const labels = [1, 3, 4, 0, 7].map((thread) => labelThread(trace, thread, from));
    expect(labels.map(({ name, lineage, relation }) => [name, lineage, relation])).toEqual([
      ['Training process', 'rank 1', 'self'],
      ['DataLoader worker 0', 'of rank 1 · pid 20', 'own-rank'],
      ['DataLoader worker 0', 'of rank 0 · pid 21', 'own-job'],
      ['torchrun', '', 'own-job'],
      ['rsync', '', 'other'],
    ]);
  });

  test('knows the recorder, and what it started, by the format of the trace', () => {
    const plain = twoRanks();
    const processes = [
      ...plain.processes,
      { pid: 90, name: 'stalltrace-agent', parent: -1, role: 'other', roleBasis: '' } as const,
      { pid: 91, name: 'nvidia-smi', parent: 10, role: 'other', roleBasis: '' } as const,
    ];
    const threads = [
      ...plain.threads,
      { tid: 91, process: 11, name: 'nvidia-smi', role: 'other' } as const,
    ];
    const trace = { ...plain, processes, threads, meta: { ...plain.meta, format: 'Stalltrace' } };
    const last = threads.length - 1;
    expect(labelThread(trace, last, undefined).relation).toBe('recorder');
    expect(labelThread({ ...trace, meta: plain.meta }, last, undefined).relation).toBe('other');
  });

  test('has words for a thread that is not known', () => {
    const label = labelThread(twoRanks(), -1, undefined);
    expect(label).toMatchObject({ process: -1, pid: 0, relation: 'other' });
    expect(label.name).toBe('a thread that is not known');
  });
});
