import { describe, expect, test } from 'vitest';
import type { Gpu } from '../../../shared/model/trace.ts';
import type { TracePlan } from '../../testing/build-trace.ts';
import { gpuNode } from '../judging/needs.ts';
import { buildFacts, cell, type FactsPlan, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { copies, socketsTrace } from '../testing/loop-examples.ts';
import { numa } from './numa.ts';

const judged = (changes: FactsPlan = {}) => numa.judge(exampleFacts('numa', changes));

/** The example on another machine. */
function on(machine: TracePlan['machine']) {
  const plan = socketsTrace('N1=268435456');
  return { trace: { ...plan, machine: { ...plan.machine, ...machine } } };
}

const gpu = (numaNode?: number): Gpu => ({
  model: 'GPU',
  ...(numaNode !== undefined && { numaNode }),
});

/** 2.4 GB in 2 s of the GPU’s own records, over a link with that many lanes of PCIe 4. */
function linked(lanes: number): FactsPlan {
  const plan = socketsTrace('N1=268435456');
  const sample = [4, lanes].map((value, metric) => ({ startNs: SECOND, metric, value, gpu: 0 }));
  return {
    h2d: [copies('pinned', { recorded: 100, recordedBytes: 2.4e9, recordedNs: 2 * SECOND })],
    trace: {
      ...plan,
      names: [
        ['', 'PCIe generation'],
        ['', 'PCIe lanes'],
      ],
      rows: { ...plan.rows, sample },
    },
  };
}

describe('pinned memory', () => {
  test('lies on another socket than the GPU: likely, and without a bound no cost', () => {
    const judgement = judged();
    expect(judgement?.confidence).toBe('likely');
    expect(judgement?.sentence).toBe(
      'Of 257.0 MiB of pinned memory whose place is known, 256.0 MiB lie on NUMA node 1; GPU 0 is attached to NUMA node 0, on another socket. The training loop spent 2.000 s (20.0 % of the time) on copies to the GPU. The trace does not show how much of that nearer memory saves.',
    );
    expect(judgement?.evidence.map(({ text }) => text)).toContain(
      'The training loop ran on CPUs of NUMA node 1 for 100 % of its time on a CPU',
    );
    expect(judgement?.claims).toBeUndefined();
  });

  test('lies at the GPU: silent, wherever the threads ran', () => {
    expect(judged({ trace: socketsTrace('N0=268435456 N1=1048576') })).toBeUndefined();
  });

  test('is not what most copies are from: then the thread that copies counts', () => {
    const judgement = judged({ h2d: [copies('pageable')] });
    expect(judgement?.title).toBe('The training loop works on another socket than the GPU’s');
    expect(judgement?.confidence).toBe('possible');
  });
});

describe('the link of the GPU', () => {
  test('bounds what nearer memory saves', () => {
    const judgement = judged(linked(1));
    expect(judgement?.sentence).toContain(
      'The GPU copied at 1.200 GB/s, where its link (PCIe 4 ×1) carries 1.969 GB/s: nearer memory can save 781.1 ms (7.8 % of the time) of that at most.',
    );
    expect(judgement?.gainShare).toBeCloseTo(1 - 1.2 / 1.969);
    expect(judgement?.claims?.(cell('h2d', 'main', 'transfer', 1))).toBe(true);
  });

  test('that is full, or is not the way to the host, is no reason', () => {
    const full = linked(1);
    const h2d = [copies('pinned', { recorded: 1, recordedBytes: 3.6e9, recordedNs: 2 * SECOND })];
    expect(judged({ ...full, h2d })).toBeUndefined();
    const other = [copies('pinned', { recorded: 1, recordedBytes: 1e12, recordedNs: 2 * SECOND })];
    expect(judged({ ...full, h2d: other })?.claims).toBeUndefined();
  });
});

describe('where threads ran', () => {
  test('is possible alone, and the pin-memory thread fills what is pinned', () => {
    const trace = socketsTrace();
    expect(judged({ trace })?.confidence).toBe('possible');
    const withPinThread = {
      ...trace,
      threads: [...(trace.threads ?? []), { tid: 101, process: 0 }],
    };
    const near = Array.from({ length: 10 }, (_, at) => ({
      ...{ startNs: at * SECOND, durationNs: 1, thread: 1, state: 0, runQueueNs: 0, cpuIn: 0 },
    }));
    const rows = { off_cpu: [...(trace.rows?.off_cpu ?? []), ...near] };
    expect(
      judged({ trace: { ...withPinThread, rows }, rank: { pinThreads: [1] } }),
    ).toBeUndefined();
  });

  test('of workers is told as theirs', () => {
    const trace = socketsTrace();
    const process = { pid: 101, parent: 0, role: 'dataloader-worker' } as const;
    const far = (trace.rows?.off_cpu ?? []).map((row) => ({ ...row, thread: 1 }));
    const judgement = judged({
      workers: [{}],
      trace: {
        ...trace,
        processes: [...(trace.processes ?? []), process],
        threads: [...(trace.threads ?? []), { tid: 101, process: 1 }],
        rows: { off_cpu: [...(trace.rows?.off_cpu ?? []), ...far] },
      },
    });
    expect(judgement?.evidence.map(({ text }) => text)).toContain(
      'The workers ran on CPUs of NUMA node 1 for 100 % of their time on a CPU',
    );
  });

  test('is not known without its switches', () => {
    const { rows: _, ...trace } = socketsTrace();
    expect(judged({ trace })).toBeUndefined();
  });
});

describe('sockets of several nodes', () => {
  const cpus = [0, 1, 2, 3].map((id) => ({
    ...{ id, number: id, package: Math.floor(id / 2), numaNode: id },
  }));
  const judgedOn = (groupCpus: string, more: FactsPlan = {}) => {
    const plan = socketsTrace('N0=1048576 N2=134217728 N3=134217728', groupCpus);
    return judged({ ...more, trace: { ...plan, machine: { ...plan.machine, cpus } } });
  };

  test('are one place: all nodes of the other one are told, and all of the GPU’s are advised', () => {
    const judgement = judgedOn('0-3');
    expect(judgement?.sentence).toContain(
      'Of 257.0 MiB of pinned memory whose place is known, 256.0 MiB lie on another socket (NUMA node 2 and others);',
    );
    expect(judgement?.fix.title).toBe('Run the job on NUMA nodes 0-1, the socket of its GPU');
    expect(judgement?.fix.after).toContain('--cpunodebind=0-1 --membind=0-1');
    expect(judgedOn('2-3')?.fix.after).toContain('echo 0-1 > "$CGROUP/cpuset.mems"');
  });

  test('are what each rank is bound to', () => {
    const { split } = buildFacts();
    const siblings = [{ label: 'rank 1', split, ns: 1, steps: 1, unprovenNs: 0 }];
    expect(judgedOn('0-3', { siblings })?.fix.after).toContain('--numa-binding=socket');
  });
});

describe('the machine', () => {
  test('has one node, or one socket of several: silent, and nothing is open', () => {
    const cpus = [0, 1].map((id) => ({ id, number: id, package: 0, numaNode: 0 }));
    const split = cpus.map((cpu) => ({ ...cpu, numaNode: cpu.id }));
    for (const machine of [{ cpus }, { cpus: split }, { cpus, gpus: [gpu()] }, { cpus: [] }]) {
      const facts = exampleFacts('numa', on(machine));
      expect(numa.judge(facts)).toBeUndefined();
      expect(gpuNode.missing(facts.trace)).toBeUndefined();
    }
  });

  test('does not tell where its GPU is: that stays open', () => {
    const facts = exampleFacts('numa', on({ gpus: [gpu()] }));
    expect(numa.judge(facts)).toBeUndefined();
    expect(gpuNode.missing(facts.trace)).toContain('nvidia-smi topo -m');
    expect(gpuNode.missing(exampleFacts('numa', on({ gpus: [] })).trace)).toBeUndefined();
  });

  test('has GPUs on both sockets: each rank by the one that it used', () => {
    const facts = exampleFacts('numa', on({ gpus: [gpu(1), gpu(0)] }));
    expect(numa.judge(facts)).toBeUndefined();
    expect(gpuNode.missing(facts.trace)).toContain('which of them a process used');
    const used = (at: number) => {
      // What is worked out of a trace is kept with its tables.
      const tables = { ...facts.trace.tables };
      const trace = { ...facts.trace, tables, contexts: [{ process: 0, gpu: at }] };
      expect(gpuNode.missing(trace)).toBeUndefined();
      return numa.judge({ ...facts, trace });
    };
    expect(used(1)?.sentence).toContain('GPU 1 is attached to NUMA node 0');
    expect(used(0)).toBeUndefined();
  });
});

describe('the fix', () => {
  test('binds the process to the node of its GPU', () => {
    expect(judged()?.fix.after).toBe('numactl --cpunodebind=0 --membind=0 python train.py');
  });

  test('binds each of several ranks to its own', () => {
    const sibling = { label: 'rank 1', split: buildFacts().split, ns: 1, steps: 1, unprovenNs: 0 };
    expect(judged({ siblings: [sibling] })?.fix.after).toBe(
      'torchrun --numa-binding=node --nproc_per_node=2 train.py',
    );
  });

  test('asks for the CPUs that the control group leaves out', () => {
    expect(judged({ trace: socketsTrace(undefined, '2-3') })?.fix.after).toBe(
      'echo 0-1 > "$CGROUP/cpuset.cpus"\necho 0 > "$CGROUP/cpuset.mems"',
    );
  });
});

test('silent where little is copied', () => {
  expect(judged({ costs: [cell('h2d', 'main', 'transfer', 0.4 * SECOND)] })).toBeUndefined();
});
