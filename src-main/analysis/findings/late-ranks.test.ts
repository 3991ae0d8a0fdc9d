import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gpuTrace } from '../testing/gpu-job.ts';
import { rankReadsSlowly } from '../testing/gpu-jobs.ts';
import { type OwnTime, type RankJob, type RankJobPlan, rankJob } from '../testing/rank-job.ts';
import { diagnose } from './diagnose.ts';

/** Ranks that wait for each other: who came last, what that cost whom, and what the late one did meanwhile. */

const MS = 1e6;
const STEPS = 30;

const told = ({ trace }: RankJob) => {
  const { diagnosis, ranks } = diagnose(trace);
  const of = (rank: number, id: string) =>
    diagnosis.findings.find((finding) => finding.rank === rank && finding.id === id);
  return { diagnosis, of, facts: ranks.map(({ facts }) => facts) };
};

const job = (own: RankJobPlan['own'], more: Partial<RankJobPlan> = {}) =>
  rankJob({ ranks: 3, steps: STEPS, own, ...more });

/** Rank 1 does that, the others do not. */
const late = (own: OwnTime, more: Partial<RankJobPlan> = {}) =>
  job((_, rank) => (rank === 1 ? own : {}), more);

/** How long `rank` waited for `last`, in all but the first step, in which the window may begin later. */
const waitedFor = ({ last, waitedNs }: RankJob, rank: number, culprit: number) =>
  waitedNs.reduce((sum, step, at) => (last[at] === culprit ? sum + step[rank] : sum), 0);

describe('a rank that comes late', () => {
  test.each([
    ['sleep', { sleepNs: 20 * MS }, 'sleeping on purpose in pause (train.py:7)'],
    ['input', { inputNs: 20 * MS }, 'waiting for input'],
    ['a CPU', { cpuNs: 20 * MS }, 'ready to run, waiting for a CPU'],
    ['work', { runNs: 20 * MS }, 'busy on a CPU outside of CUDA calls'],
  ])('is named with what it did meanwhile: %s', (_, own, reason) => {
    const made = late(own);
    const { of } = told(made);
    for (const waiting of [0, 2]) {
      const finding = of(waiting, 'late-rank');
      expect(finding?.title).toContain('rank 1 · pid 101 comes late');
      expect(finding?.culprit).toBe('rank 1');
      expect(finding?.severity).toBe('high');
      expect(finding?.confidence).toBe('likely');
      expect(finding?.sentence).toContain(` ms on average on this: ${reason}; the others`);
      const trueNs = waitedFor(made, waiting, 1);
      expect(finding?.costNs).toBeLessThanOrEqual(trueNs);
      expect(finding?.costNs).toBeGreaterThan(0.9 * trueNs);
    }
    expect(of(1, 'late-rank')).toBeUndefined();
  });

  test('may win back all the time in collectives, the exchange among it', () => {
    const { of, facts } = told(late({ sleepNs: 20 * MS }));
    const finding = of(0, 'late-rank');
    expect(finding?.gainUpToNs).toBe(facts[0].split.collective);
    expect(finding?.gainUpToNs).toBeGreaterThan(finding?.costNs ?? Infinity);
  });

  test('is told what it cost all ranks together', () => {
    const { of, facts } = told(late({ sleepNs: 20 * MS }));
    const leader = facts[0].collectives?.leader?.rank;
    const costs = [0, 2].map((rank) => facts[rank].collectives?.leader?.rank.costNs ?? 0);
    expect(leader?.allCostNs).toBe(costs[0] + costs[1]);
    expect(
      of(0, 'late-rank')
        ?.evidence.map(({ text }) => text)
        .join(),
    ).toMatch(/All ranks together waited 1\.\d+ s for rank 1/);
  });

  test('is named though its own short stay in the collective is not seen', () => {
    const made = late(
      { sleepNs: 20 * MS },
      { isSeen: (_, rank) => rank !== 1, isWaitRecorded: false },
    );
    const finding = told(made).of(0, 'late-rank');
    expect(finding?.culprit).toBe('rank 1');
    expect(finding?.costNs).toBeLessThanOrEqual(waitedFor(made, 0, 1));
  });

  test('is not named by who was not seen, where two were not', () => {
    const made = late(
      { sleepNs: 20 * MS },
      { isSeen: (_, rank) => rank === 0, isWaitRecorded: false },
    );
    const { of, facts } = told(made);
    expect(of(0, 'late-rank')).toBeUndefined();
    expect(facts[0].collectives).toBeUndefined();
  });

  test('is the same where the wait of another has no stack: that counts as no work of its own', () => {
    const made = late({ inputNs: 20 * MS }, { isSeen: (_, rank) => rank !== 2 });
    const { diagnosis, of, facts } = told(made);
    expect(of(0, 'late-rank')?.culprit).toBe('rank 1');
    expect(facts[2].unprovenNs).toBeGreaterThan(0.9 * waitedFor(made, 2, 1));
    expect(diagnosis.verdict).toBe('input-straggler');
  });
});

describe('an input straggler', () => {
  test('has half of its time, and what makes its loader slow the other half', () => {
    const { diagnosis, of } = told(late({ inputNs: 20 * MS }));
    expect(diagnosis.verdict).toBe('input-straggler');
    const straggler = of(1, 'input-straggler');
    expect(straggler?.severity).toBe('high');
    const others = diagnosis.findings.filter(
      ({ id, rank }) => rank === 1 && id !== 'input-straggler',
    );
    const costNs = others.reduce((sum, finding) => sum + finding.costNs, straggler?.costNs ?? 0);
    expect(costNs).toBeLessThanOrEqual(STEPS * 21 * MS);
  });
});

describe('ranks that come late in turn', () => {
  test('are none of them the late one; each is told with how often, what it cost, and why', () => {
    const made = job((step, rank) => (step % 3 === rank ? { sleepNs: 20 * MS } : {}));
    const { diagnosis, of } = told(made);
    expect(diagnosis.findings.some(({ id }) => id === 'late-rank')).toBe(false);
    const finding = of(0, 'collective');
    expect(finding?.sentence).toMatch(
      /come last in turn, rank 1 · pid 101 \(10 times, 2\d\d\.\d ms\), rank 2 · pid 102 \((9|10) times, /,
    );
    expect(finding?.evidence.map(({ text }) => text).join('\n')).toMatch(
      /rank 1 · pid 101 came last to 10 of the \d+ collectives.*waited 2\d\d\.\d ms for it.*sleeping on purpose/,
    );
  });
});

describe('ranks whose collectives run on their GPUs', () => {
  const diagnosed = (lateNs: number) => {
    const { diagnosis, ranks } = diagnose(gpuTrace(rankReadsSlowly(lateNs), { gpus: 3 }));
    return { diagnosis, facts: ranks.map(({ facts }) => facts) };
  };

  test('wait in a call for the GPU: that is for the late rank, and no compute', () => {
    const { diagnosis, facts } = diagnosed(10 * MS);
    const [first] = diagnosis.findings.filter(({ id }) => id === 'late-rank');
    expect(first.culprit).toBe('rank 1');
    expect(first.sentence).toMatch(
      /rank 1 spent 10\.\d+ ms on average on this: waiting for input; the others for 5\d\d/,
    );
    expect(facts[0].collectives?.known).toBe(30);
    // To some microseconds: the collective does not end for all ranks at one moment.
    const costNs = facts[0].collectives?.leader?.rank.costNs ?? 0;
    expect(Math.abs(costNs - 30 * 10 * MS)).toBeLessThan(30 * 3_000);
    expect(facts[0].split.collective).toBeGreaterThanOrEqual(30 * 10 * MS);
    expect(facts[0].split.compute).toBeLessThan(30 * 3 * MS);
    expect(diagnosis.verdict).toBe('input-straggler');
  });

  test('are not late where they come together', () => {
    const { diagnosis } = diagnosed(0);
    expect(diagnosis.findings.some(({ id }) => id === 'late-rank')).toBe(false);
  });
});

describe('any lateness', () => {
  const lateness = fc.array(
    fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 3, maxLength: 3 }),
    {
      minLength: 12,
      maxLength: 40,
    },
  );
  const seen = fc.array(fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), {
    minLength: 40,
    maxLength: 40,
  });

  test('who is named came last more often than the others, and no cost is more than was waited', () => {
    fc.assert(
      fc.property(
        lateness,
        seen,
        fc.boolean(),
        fc.boolean(),
        (ms, sees, isWaitRecorded, misses) => {
          const made = rankJob({
            ranks: 3,
            steps: ms.length,
            own: (step, rank) => ({ sleepNs: ms[step][rank] * MS + rank * 10_000 }),
            isSeen: (step, rank) => !misses || sees[step][rank],
            isWaitRecorded,
          });
          const { facts, of } = told(made);
          facts.forEach(({ collectives }, rank) => {
            for (const [culprit, { costNs, last }] of collectives?.ranks.entries() ?? []) {
              expect(costNs).toBeLessThanOrEqual(waitedFor(made, rank, culprit));
              expect(last).toBeLessThanOrEqual(made.last.filter((one) => one === culprit).length);
            }
            const leader = collectives?.leader?.rank;
            if (leader === undefined) return;
            const named = collectives?.ranks.indexOf(leader) ?? -1;
            const allNs = [0, 1, 2].map((culprit) =>
              [0, 1, 2].reduce((sum, one) => sum + waitedFor(made, one, culprit), 0),
            );
            if (!misses) expect(Math.max(...allNs)).toBe(allNs[named]);
            expect(of(rank, 'late-rank')?.costNs ?? 0).toBeLessThanOrEqual(
              waitedFor(made, rank, named),
            );
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test('of ranks that are alike, none is named', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 20 })), (random) => {
        const next = () => random.next().value ?? 0;
        const ms = Array.from({ length: 60 }, () => [next(), next(), next()]);
        const made = rankJob({
          ranks: 3,
          steps: 60,
          own: (step, rank) => ({ runNs: ms[step][rank] * MS }),
        });
        expect(told(made).diagnosis.findings.some(({ id }) => id === 'late-rank')).toBe(false);
      }),
      { numRuns: 15, seed: 7 },
    );
  });
});
