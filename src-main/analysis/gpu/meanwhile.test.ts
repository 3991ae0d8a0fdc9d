import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { meanwhileNames } from '../../shared/words/gpu-meanwhile-words.ts';
import { explainCall } from '../call/explain-call.ts';
import { GpuJob, type GpuTracePlan, gpuTrace, MS, US } from '../testing/gpu-job.ts';
import { gpuMeanwhile } from './meanwhile.ts';

const COPY = 2;

/** The last call of a job whose name matches. */
function lastCall(trace: Trace, name: RegExp): number {
  return trace.tables.cuda_call.columns.op.findLastIndex((op) => name.test(trace.names[op]));
}

function explained(job: GpuJob, name: RegExp, plan: GpuTracePlan = {}) {
  const trace = gpuTrace([job], plan);
  return explainCall(trace, lastCall(trace, name));
}

const partsOf = ({ gpuMeanwhile: meanwhile }: ReturnType<typeof explainCall>) =>
  meanwhile?.parts.map(({ kind, ns }) => [kind, ns]);

const WHICH = 'Which work did it wait for?';

describe('what the GPU did during a call', () => {
  test('a pageable copy: the kernels ahead of it by name, then the copy itself', () => {
    const job = new GpuJob();
    for (let kernel = 0; kernel < 4; kernel++) job.launch(2 * MS);
    job.copy({ mib: 10 });
    const told = explained(job, /Memcpy/);
    const copyNs = (10 * 2 ** 20) / 5;
    expect(partsOf(told)).toEqual([
      ['ahead', told.call.durationNs - copyNs],
      ['own', copyNs],
    ]);
    const [ahead] = told.gpuMeanwhile?.parts ?? [];
    expect(ahead.names).toMatchObject([{ name: 'gemm', count: 4 }]);
    expect(meanwhileNames(ahead)).toBe('4 × gemm 7.985 ms');
    expect(told.headline).toBe(
      'On the CPU for 100 % of its time (10.08 ms), waiting for the GPU. The GPU was busy with earlier work for 7.985 ms (4 × gemm) and with this call’s own work for 2.097 ms.',
    );
    expect(told.rate).toMatchObject({ bytesPerNs: 5, basis: 'exact' });
    expect(told.effectiveRate?.ns).toBe(told.call.durationNs);
    expect(told.hostMemory).toMatchObject({ kind: 'pageable', basis: 'exact' });
  });

  test('a wait: only work of its stream is ahead, that of another runs beside', () => {
    const job = new GpuJob();
    job.launch(1 * MS, 0);
    job.launch(3 * MS, 1);
    job.sync(0);
    const told = explained(job, /Synchronize/);
    expect(partsOf(told)?.map(([kind]) => kind)).toEqual(['ahead', 'beside']);
    const waited = new GpuJob();
    waited.launch(1 * MS, 0);
    waited.sync(0);
    expect(partsOf(explained(waited, /Synchronize/))).toEqual([
      ['ahead', 1 * MS],
      ['nothing', 3 * US],
    ]);
  });

  test('work that waited for another stream: that stream’s work held the call, by name', () => {
    const job = new GpuJob();
    job.launch(5 * MS, 1);
    job.waitStream(0, 1);
    job.launch(1 * MS, 0);
    job.sync(0);
    const told = explained(job, /Synchronize/);
    expect(partsOf(told)).toEqual([
      ['ahead', 1 * MS],
      ['held', 5 * MS - 5 * US],
      ['nothing', 3 * US],
    ]);
    expect(told.headline).toContain(
      'The GPU was busy with earlier work for 1.000 ms (1 × gemm) and with work of other streams for 4.995 ms (1 × gemm) while its own stream’s had not begun.',
    );
  });

  test('a copy behind another stream’s kernel is held by that, not by its own stream', () => {
    const job = new GpuJob();
    job.launch(5 * MS, 1);
    job.waitStream(0, 1);
    job.copy({ mib: 10 });
    const told = explained(job, /Memcpy/);
    expect(partsOf(told)?.map(([kind]) => kind)).toEqual(['held', 'own']);
    expect(told.headline).not.toContain('earlier work');
  });

  test('what was launched by another thread after a wait began is not ahead of it', () => {
    const jobs = [new GpuJob(0), new GpuJob(1)];
    jobs[0].launch(1 * MS);
    jobs[1].host(500 * US);
    jobs[1].launch(3 * MS);
    jobs[0].sync();
    const two = gpuTrace(jobs);
    two.tables.gpu_work.columns.process?.fill(0);
    const trace = { ...two, threads: two.threads.map((thread) => ({ ...thread, process: 0 })) };
    const meanwhile = gpuMeanwhile(trace, lastCall(trace, /Synchronize/));
    expect(meanwhile?.parts.map(({ kind, count }) => [kind, count])).toEqual([
      ['ahead', 1],
      ['beside', 1],
    ]);
  });

  test('a wait for an event: not for what still ran when it came back', () => {
    const job = new GpuJob();
    job.launch(9 * MS, 1);
    job.launch(2 * MS, 0);
    job.eventSync(0);
    const told = explained(job, /EventSync/);
    expect(partsOf(told)?.map(([kind]) => kind)).toEqual(['ahead', 'beside']);
    expect(told.gpuMeanwhile?.parts.map(({ count }) => count)).toEqual([1, 1]);
    expect(told.cannotTell.map(({ question }) => question)).not.toContain(WHICH);
  });

  test('a wait for an event, when the work of two streams had ended: for which is asked', () => {
    const job = new GpuJob();
    job.launch(1 * MS, 1);
    job.launch(2 * MS, 0);
    job.eventSync(0);
    const open = explained(job, /EventSync/).cannotTell.find(({ question }) => question === WHICH);
    expect(open?.because).toContain('work of 2 streams had ended when it came back');
  });

  test('a graph is one piece of work, and what was in it is asked', () => {
    const job = new GpuJob();
    job.graph(2 * MS);
    job.sync();
    const told = explained(job, /Synchronize/);
    expect(told.gpuMeanwhile?.parts[0]).toMatchObject({ kind: 'ahead', count: 1 });
    const open = told.cannotTell.find(({ question }) => question.includes('graph'));
    expect(open?.question).toBe('Which kernels and copies ran in the graph?');
  });

  test('without records of kernels it does not say that the GPU did nothing', () => {
    const job = new GpuJob();
    for (let kernel = 0; kernel < 4; kernel++) job.launch(2 * MS);
    job.copy({ mib: 10 });
    const told = explained(job, /Memcpy/, { keeps: ({ kind }) => kind === COPY });
    expect(partsOf(told)?.map(([kind]) => kind)).toEqual(['own', 'unknown']);
    const open = told.cannotTell.find(({ question }) => question.startsWith('What did the GPU do'));
    expect(open?.question).toMatch(/^What did the GPU do for 7\.985 ms of this call\?$/);
    expect(open?.because).toContain('Kernels are not recorded');
  });

  test('where records were lost it may have done something', () => {
    const job = new GpuJob();
    job.launch(1 * MS);
    job.host(5 * MS);
    job.copy({ mib: 10 });
    const gaps = [{ startNs: 5 * MS, durationNs: 10 * MS, lost: 1 }];
    const kinds = partsOf(explained(job, /Memcpy/, { gaps }))?.map(([kind]) => kind);
    expect(kinds).toEqual(['own', 'unknown']);
  });

  test('of two processes on one GPU the work of the other is not its own', () => {
    const jobs = [new GpuJob(0), new GpuJob(1)];
    jobs[1].launch(20 * MS, 1);
    jobs[0].copy({ mib: 10 });
    jobs[0].host(1 * MS);
    jobs[0].copy({ mib: 10 });
    const trace = gpuTrace(jobs);
    const meanwhile = gpuMeanwhile(trace, lastCall(trace, /Memcpy/));
    expect(meanwhile?.parts.map(({ kind }) => kind)).toEqual(['own', 'others']);
  });

  test('without any record of its process nothing is said', () => {
    const job = new GpuJob();
    job.sync();
    expect(explained(job, /Synchronize/).gpuMeanwhile).toBeUndefined();
  });
});

describe('of several GPUs', () => {
  const twoGpus = { gpus: 2 };

  test('a wait for a device: not for the GPU that still ran when it came back', () => {
    const job = new GpuJob();
    job.launch(2 * MS, 0);
    job.launch(9 * MS, 16);
    job.deviceSync(0);
    const told = explained(job, /DeviceSync/, twoGpus);
    expect(partsOf(told)?.map(([kind]) => kind)).toEqual(['ahead', 'beside']);
    expect(told.gpuMeanwhile?.gpus).toEqual(['GPU 0', 'GPU 1']);
    expect(told.cannotTell.map(({ question }) => question)).not.toContain(WHICH);
  });

  test('a wait for a device, when both had ended: for which is asked', () => {
    const job = new GpuJob();
    job.launch(2 * MS, 0);
    job.launch(1 * MS, 16);
    job.deviceSync(0);
    const told = explained(job, /DeviceSync/, twoGpus);
    const open = told.cannotTell.find(({ question }) => question === WHICH);
    expect(open?.because).toMatch(/^It waited for one GPU, and which is not recorded: work of 2 /);
    expect(told.headline).toContain('GPU 0 and GPU 1 were busy with earlier work');
  });

  test('a copy is told by its own GPU; what held it on the other one is named with that', () => {
    const job = new GpuJob();
    job.launch(5 * MS, 16);
    job.waitStream(0, 16);
    job.copy({ mib: 10 });
    const told = explained(job, /Memcpy/, twoGpus);
    expect(told.gpuMeanwhile?.gpus).toEqual(['GPU 0']);
    expect(told.gpuMeanwhile?.parts.map(({ kind }) => kind)).toEqual(['held', 'own']);
    expect(told.headline).toContain(
      'GPU 0 was busy with work of other streams for 5.000 ms (1 × gemm on GPU 1) while its own stream’s had not begun',
    );
  });

  test('a copy that nothing held: the other GPU’s kernels are none of its business', () => {
    const job = new GpuJob();
    job.launch(50 * MS, 16);
    job.copy({ mib: 10 });
    const told = explained(job, /Memcpy/, twoGpus);
    expect(JSON.stringify(told.gpuMeanwhile)).not.toContain('GPU 1');
  });
});

test('the parts of every call sum to its duration, to the ns', () => {
  const action = fc.tuple(
    fc.constantFrom(
      ...(['host', 'copy', 'pinned', 'launch', 'item', 'sync', 'graph'] as const),
      ...(['waitStream', 'eventSync', 'deviceSync'] as const),
    ),
    fc.integer({ min: 1, max: 3_000 }),
    fc.constantFrom(0, 1, 2, 16),
  );
  const gap = fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 9_000 }));
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 40 }),
      fc.array(gap, { maxLength: 2 }),
      (plan, lost) => {
        const job = new GpuJob();
        for (const [what, us, stream] of plan) {
          if (what === 'host') job.host(us * US);
          else if (what === 'launch' || what === 'graph') job[what](us * US, stream);
          else if (what === 'item' || what === 'sync' || what === 'eventSync') job[what](stream);
          else if (what === 'waitStream') job.waitStream(stream, us % 3);
          else if (what === 'deviceSync') job.deviceSync(us % 2);
          else job.copy({ mib: 1 + (us % 8), pinned: what === 'pinned', stream });
        }
        const gaps = lost.map(([us, ns]) => ({ startNs: us * US, durationNs: ns * US, lost: -1 }));
        const trace = gpuTrace([job], { gaps, gpus: 2 });
        const { rows, columns } = trace.tables.cuda_call;
        for (let call = 0; call < rows; call++) {
          const meanwhile = gpuMeanwhile(trace, call);
          if (meanwhile === undefined) continue;
          const all = meanwhile.parts.reduce((sum, { ns }) => sum + ns, 0);
          expect(all).toBe(columns.durationNs[call]);
          for (const { ns, count, kind, names } of meanwhile.parts) {
            expect(ns).toBeGreaterThan(0);
            expect(count > 0).toBe(kind !== 'nothing' && kind !== 'unknown');
            for (const name of names) expect(name.ns).toBeGreaterThan(0);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});
