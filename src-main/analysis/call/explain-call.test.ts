import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import type { CallExplanation } from '../../shared/answers/explanation.ts';
import { noEvents } from '../../shared/model/event-ref.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { explainCall } from './explain-call.ts';

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSync'],
  ['CUDA', 'cudaMalloc'],
  ['DRIVER', 'cuMemAlloc'],
] as const;
const [COPY, SYNC, MALLOC, CU_MALLOC] = [0, 1, 2, 3];
const [H2D, D2H, D2D] = [1, 2, 3];
const MIB = 2 ** 20;

function traceOf(calls: readonly Row<'cuda_call'>[], plan: TracePlan = {}) {
  return withRoles(
    buildTrace({
      names,
      processes: [{ pid: 9, name: 'python3' }],
      threads: [{ tid: 9, name: 'python3' }],
      ...plan,
      rows: { cuda_call: calls.map((call) => ({ thread: 0, layer: 1, ...call })), ...plan.rows },
    }),
  );
}

const explain = (call: Row<'cuda_call'>, plan?: TracePlan) => explainCall(traceOf([call], plan), 0);
const questions = (explanation: CallExplanation) =>
  explanation.cannotTell.map(({ question }) => question);
const pageable400 = { op: COPY, direction: H2D, bytes: 400 * MIB, durationNs: 65e6, startNs: 1e6 };
/** Switches of the calling thread from 0 to 100 ms, off the CPU from 10 to 60 ms. */
const switches = {
  off_cpu: [
    { thread: 0, startNs: 0, durationNs: 1 },
    { thread: 0, startNs: 10e6, durationNs: 50e6, runQueueNs: 30e6 },
    { thread: 0, startNs: 99e6, durationNs: 1e6 },
  ],
};

describe('explainCall', () => {
  test('says of a copy without switches only what size and rate show', () => {
    const explanation = explain(pageable400);
    expect(explanation.headline).toBe(
      'Nothing in this trace shows what this call waited for: its switches are not recorded. Size and rate fit a copy from pageable memory (inferred).',
    );
    expect(explanation.accounting).toEqual([
      {
        kind: 'unexplained',
        ns: 65e6,
        reason: 'This trace holds no context switches.',
        basis: 'unknown',
        events: noEvents,
      },
    ]);
    expect(explanation.hostMemory).toMatchObject({ kind: 'pageable', basis: 'inferred' });
    expect(explanation.rate).toMatchObject({ basis: 'inferred' });
    expect(explanation.rate?.bytesPerNs).toBeCloseTo(6.4527, 3);
    expect(questions(explanation)).toEqual([
      'Was the thread on a CPU during this call?',
      'Who held the CPU while the thread was off it?',
      'Was it ready to run, but without a CPU?',
      'Did it wait for a lock, a pipe or a disk, or was it preempted?',
      'Who woke the thread?',
      'Was the host memory pinned?',
      'Which pages faulted inside the call?',
      'What did the GPU do meanwhile?',
      'Which line of Python made this call?',
    ]);
    expect(explanation.cannotTell.at(-3)?.because).toContain('profile “faults”');
  });

  test('gives no return code where none is known', () => {
    expect(explain({ ...pageable400, returnCode: -1 }).call.returnCode).toBeUndefined();
    expect(explain({ ...pageable400, returnCode: -1 }).headline).not.toMatch(/Returned/);
    expect(explain({ ...pageable400, returnCode: 2 }).headline).toMatch(/^Returned code 2\. /);
  });

  test('accounts for a call in full where every switch is in the trace', () => {
    const explanation = explain({ ...pageable400, startNs: 5e6 }, { rows: switches });
    expect(explanation.offCpu.complete).toBe(true);
    expect(explanation.accounting.map(({ kind, ns }) => [kind, ns])).toEqual([
      ['runnable', 30e6],
      ['blocked', 20e6],
      ['running', 15e6],
    ]);
    expect(explanation.headline).toBe(
      'Off the CPU for 76.9 % of its time: 50.00 ms in 1 stretch; 30.00 ms of it waiting for a CPU.',
    );
    // 400 MiB in the 15 ms it ran are 28 GB/s: still as long as a transfer.
    expect(explanation.hostMemory.kind).toBe('pageable');
  });

  test('takes a copy that was off the CPU nearly all its time for no pageable one', () => {
    const call = { ...pageable400, startNs: 9e6, durationNs: 52e6 };
    const explanation = explain(call, { rows: switches });
    expect(explanation.hostMemory.kind).toBe('unknown');
    expect(explanation.rate).toBeUndefined();
    expect(questions(explanation)).toContain('How fast was the transfer?');
  });

  test('counts running time of a sync as waiting for the GPU', () => {
    const explanation = explain({ op: SYNC, startNs: 61e6, durationNs: 9e6 }, { rows: switches });
    expect(explanation.accounting).toEqual([
      {
        kind: 'running',
        detail: 'device-wait',
        ns: 9e6,
        reason: 'not switched off the CPU (waiting for the GPU)',
        basis: 'inferred',
        events: { shown: [{ table: 'cuda_call', row: 0 }], count: 1 },
      },
    ]);
    expect(explanation.headline).toBe(
      'On the CPU for 100 % of its time (9.000 ms), waiting for the GPU.',
    );
    expect(questions(explanation)).toEqual([
      'Which pages faulted inside the call?',
      'What did the GPU do meanwhile?',
      'Which line of Python made this call?',
    ]);
  });

  test('does not judge small copies', () => {
    const explanation = explain({ op: COPY, direction: H2D, bytes: 40, durationNs: 24_025 });
    expect(explanation.rate).toBeUndefined();
    expect(explanation.hostMemory.kind).toBe('unknown');
    expect(explanation.headline).toContain('A copy of 40 B is too small to be judged by its rate.');
  });

  test('gives no rate for copies that return at enqueue, and the GPU’s own where recorded', () => {
    const onDevice = { op: COPY, direction: D2D, bytes: 400 * MIB, durationNs: 65e6 };
    expect(explain(onDevice).rate).toBeUndefined();
    const pinned = explain({ ...pageable400, hostMemory: 1 });
    expect(pinned.hostMemory).toMatchObject({ kind: 'pinned', basis: 'exact' });
    expect(pinned.rate).toBeUndefined();
    const gpuWork = [{ startNs: 0, durationNs: 20e6, bytes: 400 * MIB, direction: H2D, call: 0 }];
    const { rate } = explain({ ...pageable400, hostMemory: 1 }, { rows: { gpu_work: gpuWork } });
    expect(rate).toMatchObject({ basis: 'exact', bytesPerNs: (400 * MIB) / 20e6 });
  });

  test('names kernels as a person reads them', () => {
    const mangled = '_ZN2at6native5copy_ERNS_6TensorERKS1_b';
    const kernel = { startNs: 0, durationNs: 5, call: 0, kind: 1, op: names.length };
    const plan = { names: [...names, ['CUDA', mangled] as const], rows: { gpu_work: [kernel] } };
    const { gpuWork } = explain({ op: SYNC, startNs: 0, durationNs: 1 }, plan);
    const name = 'at::native::copy_(at::Tensor&, at::Tensor const&, bool)';
    expect(gpuWork).toMatchObject({ count: 1, shown: [{ row: 0, name }] });
  });

  test('gives no rate for a copy that may have returned at enqueue', () => {
    for (const bytes of [100_000, 400 * MIB]) {
      const call = { op: COPY, direction: H2D, bytes, durationNs: 9000, startNs: 1e6 };
      const explanation = explain(call);
      expect(explanation.hostMemory.kind).toBe('unknown');
      expect(explanation.rate).toBeUndefined();
      expect(
        explanation.cannotTell.find(({ question }) => question === 'How fast was the transfer?')
          ?.because,
      ).toContain('the call may only have put the copy in a queue');
    }
  });

  test('takes no copy for pageable that was slower than any transfer', () => {
    const slow = explain({ op: COPY, direction: H2D, bytes: MIB, durationNs: 31e6, startNs: 1e6 });
    expect(slow.hostMemory).toEqual({
      kind: 'unknown',
      basis: 'unknown',
      note: 'The call held its thread far longer than any transfer of this size takes (33.83 MB/s).',
    });
    expect(slow.rate).toBeUndefined();
    expect(slow.headline).not.toContain('fit a copy');
  });

  test('ranks a call among calls of its operation, direction and size', () => {
    const times = [5, 9, 9, 1];
    const trace = traceOf([
      ...times.map((durationNs) => ({ op: COPY, direction: H2D, bytes: MIB + 1, durationNs })),
      { op: COPY, direction: D2H, bytes: MIB + 1, durationNs: 99 },
      { op: COPY, direction: H2D, bytes: 40, durationNs: 99 },
      { op: MALLOC, bytes: MIB + 1, durationNs: 99 },
    ]);
    const ranks = times.map((_, row) => explainCall(trace, row).rank);
    expect(ranks.map(({ rank }) => rank)).toEqual([3, 1, 1, 4]);
    expect(ranks[0]).toMatchObject({ of: 4, medianNs: 5, p95Ns: 9, maxNs: 9 });
    expect(ranks[0].peers).toBe('cudaMemcpyAsync · H2D · ≤ 16 MiB');
    expect(explainCall(trace, 6).rank.peers).toBe('cudaMalloc · ≤ 16 MiB');
  });

  test('calls a call not slow that took no longer than most like it', () => {
    const calls = Array.from({ length: 11 }, (_, at) => ({ op: SYNC, durationNs: 100 + at }));
    expect(explainCall(traceOf(calls), 0).headline).toBe(
      'Not slow: no longer than the median of 11 calls like it (105 ns).',
    );
  });

  test('joins driver calls to the runtime call that made them', () => {
    const trace = traceOf([
      { op: MALLOC, startNs: 0, durationNs: 100 },
      { op: CU_MALLOC, startNs: 10, durationNs: 80, layer: 2, parent: 0 },
      { op: CU_MALLOC, startNs: 200, durationNs: 80, layer: 2 },
    ]);
    expect(explainCall(trace, 0).call.children).toEqual([
      { row: 1, name: 'cuMemAlloc', durationNs: 80 },
    ]);
    const { call, headline } = explainCall(trace, 1);
    expect(call).toMatchObject({ parent: 0, layer: 'driver', source: 'DRIVER' });
    expect(headline).toBe(
      'Part of cudaMalloc, which made this driver call: read that call instead.',
    );
  });

  test('rules the workers out where they were forked after the call', () => {
    const processes = [
      { pid: 9, name: 'python3' },
      { pid: 10, name: 'pt_data_worker', parent: 0, startNs: 50e9 },
      { pid: 11, name: 'pt_data_worker', parent: 0, startNs: 51e9 },
    ];
    const threads = [{ tid: 9 }, { tid: 10, process: 1 }, { tid: 11, process: 2 }];
    const early = explain(pageable400, { processes, threads });
    expect(early.wholeFile.ruledOut).toBe(
      'The DataLoader workers were forked 49.93 s after this call ended: they cannot have slowed it.',
    );
    expect(early.wholeFile.activity.map(({ role }) => role)).toEqual([
      'main',
      'dataloader-worker',
      'dataloader-worker',
    ]);
    const late = explain({ ...pageable400, startNs: 50.5e9 }, { processes, threads });
    expect(late.wholeFile.ruledOut).toBeUndefined();
    expect(questions(late)).toContain('What did the DataLoader workers do during this call?');
  });

  test('counts a training process with all its threads, and lists each of them too', () => {
    const { wholeFile } = explain(pageable400, {
      threads: [
        { tid: 9, name: 'python3' },
        { tid: 10, name: 'pt_pin_memory' },
      ],
      rows: { off_cpu: [0, 0, 1].map((thread) => ({ thread, startNs: 1, durationNs: 5 })) },
    });
    expect(
      wholeFile.activity.map(({ pid, tid, switches }) => [pid, tid ?? 'all', switches]),
    ).toEqual([
      [9, 'all', 3],
      [9, 9, 2],
      [9, 10, 1],
    ]);
    expect(wholeFile.note).toContain('and all threads of a process');
    expect(wholeFile.note).toContain(
      'A row with a tid is one thread of its process, and in that process’s row too.',
    );
    const alone = explain(pageable400, {
      threads: [{ tid: 9, name: 'python3' }, { tid: 10 }],
      rows: { off_cpu: [{ thread: 0, startNs: 1, durationNs: 5 }] },
    }).wholeFile;
    expect(alone.activity.map(({ tid, switches }) => [tid, switches])).toEqual([[undefined, 1]]);
    expect(alone.note).not.toContain('A row with a tid');
  });

  test('says for switches and page allocations each what its figures are sums of', () => {
    const plan = {
      names: [...names, ['HOST', 'sched_switch'], ['HOST', 'mm_page_alloc']] as const,
      rows: {
        aggregate: [
          { thread: 0, op: 4, count: 3, startNs: 0, durationNs: 5e9 },
          { thread: 0, op: 4, count: 4, startNs: 60e9, durationNs: 60e9 },
        ],
        off_cpu: [{ thread: 0, startNs: 1 }],
        page_alloc: [{ thread: 0, startNs: 1, bytes: 4096 }],
      },
    };
    expect(explain(pageable400, plan).wholeFile.note).toBe(
      'Sums over the whole file (1.000 s) and all threads of a process, never of this call alone: switches as the recorder counted them per 5.000 s and 60.00 s, page allocations as stored.',
    );
  });

  test('works the whole file out once, in a time that grows with its threads', () => {
    const threads = Array.from({ length: 60_000 }, (_, at) => ({ tid: 9 + at, process: 0 }));
    const trace = traceOf([pageable400], { threads });
    const spentMs = cpuMs(() => {
      const { wholeFile } = explainCall(trace, 0);
      expect(explainCall(trace, 0).wholeFile.activity).toBe(wholeFile.activity);
    });
    expect(spentMs).toBeLessThan(2000);
  });

  test('takes calls of no length and of unknown threads as they are', () => {
    const explanation = explain({ op: SYNC, durationNs: 0, thread: -1 });
    expect(explanation.accounting).toEqual([]);
    expect(explanation.call).toMatchObject({ pid: -1, tid: -1, bytes: -1, children: [] });
    expect(explanation.headline).not.toBe('');
  });

  test('refuses rows that do not exist', () => {
    const trace = traceOf([{ op: SYNC, durationNs: 1 }]);
    for (const row of [-1, 1, 0.5]) expect(() => explainCall(trace, row)).toThrow(RangeError);
  });

  test('accounts for any call of any trace to the ns', () => {
    const time = fc.integer({ min: 0, max: 1000 });
    const span = fc.record({ thread: fc.constant(0), startNs: time, durationNs: time });
    const call = fc.record({
      op: fc.constantFrom(COPY, SYNC, MALLOC),
      startNs: time,
      durationNs: time,
      bytes: fc.constantFrom(-1, 0, 40, MIB, 400 * MIB),
      direction: fc.constantFrom(0, H2D, D2H, D2D, 6),
    });
    fc.assert(
      fc.property(fc.array(span), call, fc.boolean(), (spans, oneCall, exact) => {
        const sorted = [...spans].sort((a, b) => a.startNs - b.startNs);
        const kind = exact ? 'exact' : 'partial';
        const { accounting, offCpu, headline } = explain(oneCall, {
          rows: { off_cpu: sorted },
          provenance: { off_cpu: { kind, note: '' } },
        });
        expect(accounting.reduce((sum, part) => sum + part.ns, 0)).toBe(oneCall.durationNs);
        expect(offCpu.complete && !exact).toBe(false);
        const unexplained = accounting.some((part) => part.kind === 'unexplained');
        expect(unexplained && offCpu.complete).toBe(false);
        // Running is claimed only where the table is known to be exact.
        expect(accounting.some((part) => part.kind === 'running') && !exact).toBe(false);
        expect(headline).toMatch(/\.$/);
      }),
    );
  });
});
