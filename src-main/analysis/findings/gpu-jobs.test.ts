import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import { type DeviceTime, idleCauses } from '../../shared/answers/steps.ts';
import { gpuTimeLines } from '../../shared/words/gpu-time-words.ts';
import { GpuJob, type GpuTracePlan, gpuTrace, MS, US } from '../testing/gpu-job.ts';
import * as jobs from '../testing/gpu-jobs.ts';
import { costOf } from './claim-costs.ts';
import { diagnose } from './diagnose.ts';

/** Loops whose GPU waits for one thing each: by its own records the diagnosis says for which, and how long. */

const diagnosisOf = (made: GpuJob | readonly GpuJob[], plan: GpuTracePlan = {}) =>
  diagnose(gpuTrace([made].flat(), { gpus: 2, ...plan })).diagnosis;

const timeOf = ({ ranks }: Diagnosis, rank = 0) => {
  const time = ranks[rank].starvation.recorded?.all;
  if (time === undefined) throw new Error('not from records');
  return time;
};
const findingOf = ({ findings }: Diagnosis, id: string) => findings.find((each) => each.id === id);
const shareOf = ({ ranks }: Diagnosis, ns: number, rank = 0) => {
  const [startNs, endNs] = ranks[rank].steps.window;
  return ns / (endNs - startNs);
};

describe('what a GPU waits for, by its own records', () => {
  test('a loader: idle in all of the loop’s wait for input', () => {
    const told = diagnosisOf(jobs.starved());
    expect(told.verdict).toBe('input-bound');
    expect(timeOf(told).idleBy.input).toBe(30 * 12 * MS);
    expect(told.headline).toMatch(
      /^The GPU has nothing to do for 69\.7 % of the mean step of 17\.22 ms because the loop waits for input\./,
    );
    expect(findingOf(told, 'not-input')).toBeUndefined();
  });

  test('other ranks: a wait for a GPU that runs nothing but a collective is no compute', () => {
    const { ranks } = diagnosisOf(jobs.rankReadsSlowly(10 * MS), { gpus: 3 });
    const [first, late] = ranks.map(({ steps }) => steps.total);
    expect(first.collective).toBeGreaterThanOrEqual(30 * 10 * MS);
    expect(first.compute).toBeLessThan(30 * 3 * MS);
    // The rank that comes last waits for the exchange alone.
    expect(late.collective).toBeLessThan(30 * 210 * US);
    expect(first.collective + first.compute + first.input + first.h2d + first.other).toBe(
      ranks[0].steps.window[1] - ranks[0].steps.window[0],
    );
  });

  test('nothing: it computes all the while, and what the loop waits for meanwhile costs nothing', () => {
    const told = diagnosisOf(jobs.gpuBound());
    expect(told.verdict).toBe('compute-bound');
    expect(shareOf(told, told.ranks[0].steps.total.input)).toBeGreaterThan(0.9);
    expect(told.headline).toContain('but the GPU has work meanwhile');
    expect(findingOf(told, 'not-input')?.confidence).toBe('proven');
    for (const { costShare } of told.findings) expect(costShare).toBeLessThan(0.05);
  });

  test('copies from pageable memory on its stream: they cost what they take', () => {
    const told = diagnosisOf(jobs.pageable());
    expect(told.verdict).toBe('h2d-bound');
    const pinning = findingOf(told, 'pin-memory');
    const copyNs = Math.round((64 * 2 ** 20) / 5);
    expect(timeOf(told).h2dNs).toBe(30 * copyNs);
    expect(Math.abs((pinning?.costNs ?? 0) - 30 * copyNs)).toBeLessThan(30 * 10 * US);
    expect(pinning?.confidence).toBe('proven');
    expect(pinning?.evidence.map(({ text }) => text).join()).toContain('5.000 GB/s');
    expect(findingOf(told, 'not-input')).toBeUndefined();
  });

  test('copies beside kernels: they cost nothing', () => {
    const told = diagnosisOf(jobs.overlapped());
    expect(told.verdict).toBe('compute-bound');
    expect(told.findings.map(({ id }) => id)).toEqual(['not-input']);
    expect(timeOf(told).h2dNs).toBeLessThan(4 * MS);
  });

  test('copies and kernels that take turns, although no call waits for a copy', () => {
    const told = diagnosisOf(jobs.takingTurns());
    expect(told.verdict).toBe('h2d-bound');
    const overlap = findingOf(told, 'overlap-h2d');
    expect(overlap?.confidence).toBe('proven');
    expect(Math.abs((overlap?.costNs ?? 0) - timeOf(told).h2dNs)).toBeLessThan(30 * 100 * US);
    expect(findingOf(told, 'not-input')).toBeUndefined();
  });

  test('the host, after each wait for the GPU', () => {
    const told = diagnosisOf(jobs.syncHeavy());
    expect(told.verdict).toBe('host-bound');
    const syncs = findingOf(told, 'fewer-syncs');
    expect(syncs?.costShare).toBeGreaterThan(0.5);
    expect(syncs?.costNs).toBeLessThanOrEqual(timeOf(told).idleNs);
    expect(syncs?.gainUpToNs).toBeLessThanOrEqual(timeOf(told).computingNs);
  });

  test('a CPU, when its work is done and nobody comes back for it', () => {
    const told = diagnosisOf(jobs.lateBack());
    expect(told.verdict).toBe('host-bound');
    expect(timeOf(told).idleBy.sync).toBeGreaterThan(30 * 4 * MS - 1);
    expect(told.headline).toContain('while the loop was still in a call that waits for a GPU');
    const waited = findingOf(told, 'cpu-wait');
    expect(waited?.costNs).toBe(30 * 4 * MS);
  });

  test('launches, one kernel after the other', () => {
    const told = diagnosisOf(jobs.launchBound());
    expect(told.verdict).toBe('host-bound');
    expect(shareOf(told, timeOf(told).idleBy.launch)).toBeGreaterThan(0.7);
    expect(findingOf(told, 'launch-bound')).toMatchObject({ severity: 'high' });
    expect(findingOf(told, 'launch-bound')?.sentence).toContain('for 4.000 µs each on average');
  });

  test('graphs compute; what is in them is not looked for', () => {
    expect(diagnosisOf(jobs.graphs()).verdict).toBe('compute-bound');
  });
});

describe('several GPUs', () => {
  test('of one process: each for itself, and the one that has little to do is named', () => {
    const told = diagnosisOf(jobs.unevenGpus());
    const { devices = [], unused } = told.ranks[0].starvation.recorded ?? {};
    expect(devices.map(({ label }) => label)).toEqual(['GPU 0', 'GPU 1']);
    expect(shareOf(told, devices[1].idleNs)).toBeGreaterThan(0.9);
    expect(unused).toEqual([]);
    expect(told.headline).toContain('GPU 1 computing 2.0 %, idle 98.0 %');
    expect(findingOf(told, 'not-input')).toBeUndefined();
  });

  test('a copy that waits for a kernel on another GPU is copying only from when that is done', () => {
    const told = diagnosisOf(jobs.heldByOtherGpu());
    const copyNs = 30 * Math.round((20 * 2 ** 20) / 5);
    const { h2d, compute } = told.ranks[0].steps.total;
    expect(Math.abs(h2d - copyNs)).toBeLessThan(30 * 20 * US);
    expect(compute).toBeGreaterThan(30 * 20 * MS);
  });

  test('of two ranks: each rank has its own, and the one that waits is told first', () => {
    const told = diagnosisOf(jobs.unevenRanks());
    expect(timeOf(told, 0).label).toBe('GPU 0');
    expect(timeOf(told, 1).label).toBe('GPU 1');
    expect(told.ranks.map(({ verdict }) => verdict)).toEqual(['compute-bound', 'input-bound']);
    expect(told.headline).toMatch(/^rank 1/);
  });

  test('one that nothing ran on is named', () => {
    const [rank] = diagnosisOf(jobs.starved()).ranks;
    expect(gpuTimeLines(rank)).toContain('Nothing that is recorded ran on GPU 1.');
  });
});

test('copies nearly all the time are told where no steps are found', () => {
  const job = new GpuJob();
  for (let at = 0; at < 5; at++) {
    job.copy({ mib: 64 + 64 * at, pinned: true });
    job.launch(1 * MS);
  }
  job.sync();
  const told = diagnosisOf(job);
  expect([told.ranks[0].steps.basis, told.verdict]).toEqual(['none', 'h2d-bound']);
  expect(told.headline).toMatch(
    /^Copies to the GPU keep it from computing for 9\d\.\d % of the recorded time: .* only copying 9/,
  );
});

describe('records that are not all there', () => {
  const COPY = 2;
  test('copies only: when the GPU was idle is not told, but how fast it copied is', () => {
    const trace = gpuTrace([jobs.pageable()], { keeps: ({ kind }) => kind === COPY });
    const { diagnosis } = diagnose(trace);
    const [{ starvation }] = diagnosis.ranks;
    expect(starvation.recorded).toBeUndefined();
    expect(starvation.basis).not.toBe('exact');
    expect(starvation.note).toContain('Kernels are not recorded');
    const open = diagnosis.cannotTell.find(({ question }) => question.includes('GPU run'));
    expect(open?.because).toMatch(/^Kernels are not recorded, only copies and fills: .*\.$/);
    const told = findingOf(diagnosis, 'pin-memory')?.evidence.map(({ text }) => text);
    expect(told?.join()).toContain('5.000 GB/s');
  });

  test('where some were lost it may have worked: idle is a lower bound', () => {
    const whole = timeOf(diagnosisOf(jobs.starved()));
    const gaps = [{ startNs: 0, durationNs: 100 * MS, lost: 5 }];
    const told = diagnosisOf(jobs.starved(), { gaps });
    expect(told.ranks[0].starvation.basis).toBe('bound');
    expect(timeOf(told).unknownNs).toBeGreaterThan(50 * MS);
    expect(timeOf(told).idleNs + timeOf(told).unknownNs).toBe(whole.idleNs);
    expect(gpuTimeLines(told.ranks[0]).join()).toContain('some may be missing');
  });

  test('those still under way while it is recorded: behind the last it may have worked', () => {
    const job = jobs.starved();
    const halfNs = job.nowNs / 2;
    const told = diagnosisOf(job, { keeps: ({ startNs = 0 }) => startNs < halfNs });
    const time = timeOf(told);
    expect(time.idleNs).toBeLessThan(halfNs);
    expect(time.unknownNs).toBeGreaterThan(halfNs * 0.9);
  });

  const silent = {
    gpu_work: { kind: 'partial', note: 'the longest only' },
    gap: { kind: 'absent', note: '' },
  } as const;
  test('a selection that does not say what it misses tells nothing of idle time', () => {
    const [{ starvation }] = diagnosisOf(jobs.starved(), { provenance: silent }).ranks;
    expect(starvation.recorded).toBeUndefined();
  });

  test('but where what is there fills the time, the GPU is what the job waits for', () => {
    const provenance = { ...silent, cuda_call: { kind: 'partial', note: '' } } as const;
    const job = new GpuJob();
    for (let step = 0; step < 20; step++) {
      job.launch(10 * MS);
      job.sync();
    }
    const told = diagnosisOf(job, { provenance });
    expect(told.verdict).toBe('compute-bound');
    expect(told.ranks[0].sentence).toMatch(
      /^The GPU computes for \S+ % of the recorded time or more: .* every CUDA call is stored/,
    );
    expect(told.ranks[0].starvation.idleNs).toBe(0);
    expect(diagnosisOf(jobs.starved(), { provenance }).verdict).toBe('unknown');
  });
});

test('the GPU’s time, what it was idle for and what the loop’s time went to each add up', () => {
  const action = fc.tuple(
    fc.constantFrom('input', 'host', 'copy', 'pinned', 'launch', 'item', 'sync', 'graph'),
    fc.integer({ min: 1, max: 3_000 }),
    fc.integer({ min: 0, max: 2 }),
  );
  const sum = ({ idleBy }: DeviceTime) => idleCauses.reduce((all, cause) => all + idleBy[cause], 0);
  fc.assert(
    fc.property(fc.array(action, { minLength: 5, maxLength: 60 }), (plan) => {
      const job = new GpuJob();
      for (const [what, us, stream] of plan) {
        if (what === 'input' || what === 'host') job[what](us * US);
        else if (what === 'launch' || what === 'graph') job[what](us * US, stream);
        else if (what === 'item') job.item(stream);
        else if (what === 'sync') job.sync(stream, (us % 5) * 100 * US);
        else job.copy({ mib: 1 + (us % 8), pinned: what === 'pinned', stream });
        if (us % 7 === 0) job.step();
      }
      job.step();
      const { ranks } = diagnose(gpuTrace([job]));
      for (const { facts } of ranks) {
        const [startNs, endNs] = facts.window;
        const { recorded, idleNs, busyNs, unknownNs } = facts.starvation;
        for (const time of recorded === undefined ? [] : [recorded.all, ...recorded.devices]) {
          const { computingNs, collectiveNs, copyingNs } = time;
          const all = computingNs + collectiveNs + copyingNs + time.idleNs + time.unknownNs;
          expect(all).toBe(endNs - startNs);
          expect(sum(time)).toBe(time.idleNs);
          expect(time.h2dNs).toBeLessThanOrEqual(copyingNs);
        }
        expect(idleNs + busyNs + unknownNs).toBe(endNs - startNs);
        const costs = facts.costs.reduce((all, { ns }) => all + ns, 0);
        expect(Math.abs(costs - (endNs - startNs))).toBeLessThan(1);
        for (const cell of facts.costs) {
          expect(costOf(cell)).toBeGreaterThan(-1e-3);
          expect(costOf(cell)).toBeLessThan(cell.ns + 1e-3);
        }
      }
    }),
    { numRuns: 150 },
  );
});
