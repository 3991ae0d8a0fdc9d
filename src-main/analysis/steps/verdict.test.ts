import { describe, expect, it } from 'vitest';
import type { PhaseSplit, Starvation, StepSummary } from '../../shared/answers/steps.ts';
import { stragglerOf } from './straggler.ts';
import { rankVerdict } from './verdict.ts';

const split = (parts: Partial<PhaseSplit>): PhaseSplit => ({
  other: 0,
  input: 0,
  h2d: 0,
  compute: 0,
  collective: 0,
  idle: 0,
  ...parts,
});

/** 100 steps of 10 ms by what they went to, in percent; the rest is other time. */
function stepsOf(percent: Partial<PhaseSplit>, more: Partial<StepSummary> = {}): StepSummary {
  const given = Object.values(percent).reduce((sum, part) => sum + part, 0);
  const all = split({ other: 100 - given, ...percent });
  const total = Object.fromEntries(
    Object.entries(all).map(([phase, share]) => [phase, share * 1e7]),
  ) as unknown as PhaseSplit;
  return {
    basis: 'signature',
    note: 'a note',
    count: 100,
    window: [0, 1e9],
    total,
    steps: [],
    inputNote: 'no stacks',
    ...more,
  };
}

const unknownIdle: Starvation = {
  basis: 'unknown',
  note: '',
  idleNs: 0,
  busyNs: 0,
  unknownNs: 1e9,
  longest: [],
};

function verdictOf(percent: Partial<PhaseSplit>, starvation = unknownIdle, inputKnown = true) {
  return rankVerdict({ steps: stepsOf(percent), starvation, inputKnown });
}

describe('rankVerdict', () => {
  it('speaks of inference where the loop runs its model and nothing shows that it trains it', () => {
    const steps = stepsOf({ h2d: 60, compute: 40 }, { infers: true });
    const { sentence } = rankVerdict({ steps, starvation: unknownIdle, inputKnown: true });
    expect(sentence).toMatch(/^Copying to the GPU holds the inference loop for 60\.0 %/);
  });

  it('leaves open whether copies or input take more where input cannot be told', () => {
    const found = verdictOf({ h2d: 25, compute: 40 }, unknownIdle, false);
    expect(found).toMatchObject({ verdict: 'unknown', severity: 'info' });
    expect(found.sentence).toContain('25.0 %');
    expect(found.sentence).toContain('Host time outside CUDA calls takes 35.0 %');
    expect(verdictOf({ h2d: 40, compute: 40 }, unknownIdle, false).verdict).toBe('h2d-bound');
    expect(verdictOf({ h2d: 25, compute: 40 }).verdict).toBe('h2d-bound');
  });

  it('of which nobody knows what it does is bound by copies where they take most of its time', () => {
    const of = (h2d: number) => {
      const steps = stepsOf({ h2d, compute: 10 }, { loopUnknown: true });
      return rankVerdict({ steps, starvation: unknownIdle, inputKnown: false });
    };
    expect(of(49)).toMatchObject({ verdict: 'unknown', severity: 'info' });
    expect(of(50)).toMatchObject({ verdict: 'h2d-bound', severity: 'high' });
    expect(of(50).sentence).toMatch(/^Copying to the GPU holds the thread that calls CUDA for 50/);
  });

  it('is bound by input from 10 %, critical from 20 %', () => {
    expect(verdictOf({ input: 9.9, compute: 60 })).toMatchObject({
      verdict: 'balanced',
      severity: 'info',
    });
    expect(verdictOf({ input: 10, compute: 60 })).toMatchObject({
      verdict: 'input-bound',
      severity: 'medium',
    });
    expect(verdictOf({ input: 20, compute: 80 })).toMatchObject({
      verdict: 'input-bound',
      severity: 'high',
    });
  });

  it('is bound by the larger of input and copies', () => {
    expect(verdictOf({ input: 15, h2d: 25 })).toMatchObject({
      verdict: 'h2d-bound',
      severity: 'high',
    });
    expect(verdictOf({ input: 25, h2d: 15 }).verdict).toBe('input-bound');
  });

  it('is bound by compute from 90 %, unless the GPU is known to idle', () => {
    expect(verdictOf({ compute: 90 }).verdict).toBe('compute-bound');
    expect(verdictOf({ compute: 89 }).verdict).toBe('balanced');
    const idle = {
      ...unknownIdle,
      basis: 'exact' as const,
      idleNs: 3e8,
      unknownNs: 0,
      busyNs: 7e8,
    };
    expect(verdictOf({ compute: 95 }, idle).verdict).toBe('balanced');
  });

  it('names the figures, and how far they are known', () => {
    const idle = { ...unknownIdle, basis: 'bound' as const, idleNs: 3e8, unknownNs: 7e8 };
    expect(verdictOf({ input: 65 }, idle).sentence).toBe(
      'Waiting for input takes at least 65.0 % of the mean step of 10.00 ms; the GPU had nothing to do for at least 30.0 % of the time.',
    );
  });

  it('says how long the steps of both kinds are, where they are of two: none is as long as the mean', () => {
    const kinds = [
      { count: 80, medianNs: 5e6 },
      { count: 20, medianNs: 30e6 },
    ] as const;
    const typical = { ...split({}), durationNs: 5e6, p95Ns: 30e6, meanNs: 10e6, kinds };
    const steps = stepsOf({ input: 65 }, { typical });
    expect(rankVerdict({ steps, starvation: unknownIdle, inputKnown: true }).sentence).toBe(
      'Waiting for input takes at least 65.0 % of the time of its steps (80 of about 5.000 ms and 20 of about 30.00 ms).',
    );
  });

  it('tells the largest part first, be it another than what the job is bound by', () => {
    expect(verdictOf({ input: 15, compute: 70 }).sentence).toBe(
      'CUDA calls other than copies to the GPU take 70.0 % of the mean step of 10.00 ms. Waiting for input takes at least 15.0 %.',
    );
    expect(verdictOf({ h2d: 8, compute: 67 }, unknownIdle, false).sentence).toBe(
      'CUDA calls other than copies to the GPU take 67.0 % of the mean step of 10.00 ms. Host time outside CUDA calls takes 25.0 %. no stacks',
    );
    expect(verdictOf({ h2d: 30 }, unknownIdle, false).sentence).toBe(
      'Host time outside CUDA calls takes 70.0 % of the mean step of 10.00 ms. Copying to the GPU holds the training thread for 30.0 %. no stacks',
    );
    expect(verdictOf({ h2d: 8, input: 3, compute: 80 }).sentence).toBe(
      'Neither input wait nor copies stand out: other CUDA calls 80.0 %, other host time 9.0 %, copies 8.0 %, input wait 3.0 %.',
    );
  });

  it('is unknown without steps, and where input cannot be told from much other time', () => {
    const none = stepsOf({ h2d: 70 }, { basis: 'none', count: 0 });
    expect(rankVerdict({ steps: none, starvation: unknownIdle, inputKnown: true })).toMatchObject({
      verdict: 'unknown',
      sentence: 'a note',
    });
    expect(verdictOf({ compute: 80 }, unknownIdle, false)).toMatchObject({ verdict: 'unknown' });
    expect(verdictOf({ compute: 80 }, unknownIdle, false).sentence).toContain('no stacks');
    expect(verdictOf({ compute: 95 }, unknownIdle, false).verdict).toBe('compute-bound');
  });
});

describe('stragglerOf', () => {
  const rank = (label: string, percent: Partial<PhaseSplit>) => ({
    label,
    steps: stepsOf(percent),
    unprovenNs: 0,
  });

  it('names the rank whose input keeps the others waiting', () => {
    const ranks = [
      rank('rank 0', { input: 5, compute: 40, collective: 45 }),
      rank('rank 1', { input: 50, compute: 40 }),
      rank('rank 2', { input: 5, compute: 45, collective: 40 }),
    ];
    expect(stragglerOf(ranks)).toMatchObject({
      rank: 1,
      severity: 'high',
      inputNs: 5e6,
      othersInputNs: 5e5,
    });
    expect(stragglerOf(ranks)?.sentence).toBe(
      'rank 1 waits 5.000 ms a step for input on average, the other ranks 500.0 µs: they lose up to 45.0 % of their time waiting for it.',
    );
    const typical = { ...split({}), durationNs: 1e7, p95Ns: 1e7, meanNs: 1e7 };
    const known = ranks.map((each) => ({ ...each, steps: { ...each.steps, typical } }));
    expect(stragglerOf(known)?.sentence).toContain(
      'on average, long in some steps only, the other',
    );
  });

  it('tells of the typical step, where the wait is in that', () => {
    const typicalOf = (input: number) => ({
      typical: { ...split({ input }), durationNs: 1e7, p95Ns: 1e7, meanNs: 1e7 },
    });
    const ranks = [
      {
        ...rank('rank 0', {}),
        steps: stepsOf({ input: 5, compute: 40, collective: 45 }, typicalOf(4e5)),
      },
      { ...rank('rank 1', {}), steps: stepsOf({ input: 50, compute: 40 }, typicalOf(4.8e6)) },
    ];
    expect(stragglerOf(ranks)?.sentence).toBe(
      'rank 1 waits 4.800 ms for input in the typical step, the other ranks 400.0 µs: they lose up to 45.0 % of their time waiting for it.',
    );
  });

  it('names nobody where ranks are alike, alone, without steps, or late for another reason', () => {
    const even = rank('rank 0', { input: 30, compute: 60 });
    expect(stragglerOf([even, { ...even, label: 'rank 1' }])).toBeUndefined();
    expect(stragglerOf([even])).toBeUndefined();
    const without = {
      label: 'rank 1',
      steps: stepsOf({}, { basis: 'none', count: 0 }),
      unprovenNs: 0,
    };
    expect(stragglerOf([even, without])).toBeUndefined();
    expect(
      stragglerOf([rank('rank 0', { compute: 90 }), rank('rank 1', { compute: 50 })]),
    ).toBeUndefined();
  });
});
