import { expect, test } from 'vitest';
import { randomFrom } from '../threads/testing/random-time.ts';
import type { CostCell, RankFacts } from './facts/facts.ts';
import { gainBound, tellingBound } from './gain-bound.ts';
import type { Judgement } from './rule.ts';
import { lateRank } from './rules/late-rank.ts';
import { buildFacts, cell, MS, SECOND } from './testing/build-facts.ts';
import { exampleFacts } from './testing/examples.ts';
import { recorded } from './testing/loop-examples.ts';

const judgement = (more: Partial<Judgement>): Judgement => ({
  ...{ title: '', sentence: '', confidence: 'likely', evidence: [] },
  fix: { title: '', text: '', before: '', after: '', language: 'shell', sources: [] },
  chain: {} as Judgement['chain'],
  ...more,
});
const isCause = (wanted: CostCell['cause']) => (one: CostCell) => one.cause === wanted;
const boundOf = (facts: RankFacts, more: Partial<Judgement>) => gainBound(facts, judgement(more));

const costs = [
  cell('input', 'worker', 'running', 4 * SECOND, { starvedNs: SECOND }),
  cell('input', 'worker', 'stolen', SECOND),
  cell('h2d', 'main', 'stolen', SECOND),
  cell('compute', 'main', 'runnable-other', SECOND),
];
const workers = [{ states: { runningNs: 9 * SECOND, sleepingNs: SECOND } }];

test('is the claimed time, also where the GPU is not known to have been idle', () => {
  const bound = boundOf(buildFacts({ costs }), { claims: isCause('running') });
  expect(bound?.gainUpToNs).toBe(4 * SECOND);
  expect(bound?.gainAssumes).toBe('if all else takes as long as before');
  const more = boundOf(buildFacts({ costs }), { claims: isCause('running'), gainShare: 1.2 });
  expect(more?.gainUpToNs).toBe(4.8 * SECOND);
  expect(more?.gainAssumes).toBe('if all time that may belong to it does');
});

test('reaches every wait for a batch or a CPU where the fix may', () => {
  const facts = buildFacts({ costs, workers });
  const claims = isCause('stolen');
  expect(boundOf(facts, { claims })?.gainUpToNs).toBe(2 * SECOND);
  const waits = boundOf(facts, { claims, gain: { reach: 'waits' } });
  expect(waits?.gainUpToNs).toBe(7 * SECOND);
  expect(waits?.gainAssumes).toBe('if all waits that it may cause end with it');
});

test('reaches every wait for a CPU where nearly all of them are busy', () => {
  const on = (idleShare: number) => {
    const cpus = { machine: 2, usable: 2, basis: '', idleShare };
    return boundOf(buildFacts({ costs, workers, cpus }), { claims: isCause('running') });
  };
  expect(on(0.5)?.gainUpToNs).toBe(4 * SECOND);
  // Two seconds that were stolen, and one in which others ran.
  expect(on(0.1)?.gainUpToNs).toBe(7 * SECOND);
  expect(on(0.1)?.gainAssumes).toBe('if all waits for a CPU end with it');
});

test('leaves the work that stays, and what the GPU computes', () => {
  const facts = buildFacts({ costs, workers });
  const claims = isCause('stolen');
  const on = (cpus: number) => boundOf(facts, { claims, gain: { reach: 'waits', cpus } });
  expect(on(1)?.gainUpToNs).toBe(SECOND);
  expect(on(2)?.gainUpToNs).toBe(5.5 * SECOND);
  expect(on(2)?.gainAssumes).toBe(
    'if all waits that it may cause end with it, and 2 CPUs do the same work as before',
  );
  const floor = { reach: 'waits', floorNs: 9.5 * SECOND } as const;
  expect(boundOf(facts, { claims, gain: floor })?.gainUpToNs).toBe(0.5 * SECOND);
});

test('counts other time that may have been input, by what samples leave of it', () => {
  const other = [cell('other', 'main', 'running', 2 * SECOND), ...costs];
  const facts = buildFacts({ costs: other, workers });
  const bound = boundOf(facts, { claims: isCause('stolen'), gain: { reach: 'waits' } });
  expect(bound?.gainUpToNs).toBe(9 * SECOND);
});

test('is not given where the trace bounds it by nothing', () => {
  const facts = buildFacts({ costs });
  expect(boundOf(facts, { claims: isCause('stolen'), gain: 'unknown' })).toBeUndefined();
  expect(boundOf(facts, {})).toBeUndefined();
});

/** A batch: what making it takes its worker, and the loop's own step, of which `ownCauseNs` is the cause's. */
interface Batch {
  readonly makeNs: number;
  readonly causeNs: number;
  readonly stepNs: number;
  readonly ownCauseNs: number;
}

/** Workers make batches in turns, two ahead; the loop waits for each in order. How long, and for which it waited. */
function runPipeline(batches: readonly Batch[], workerCount: number, without: boolean) {
  const freeNs = new Array<number>(workerCount).fill(0);
  const takenNs: number[] = [];
  let nowNs = 0;
  const waits = batches.map(({ makeNs, causeNs, stepNs, ownCauseNs }, at) => {
    const askedNs = takenNs[at - 2 * workerCount] ?? 0;
    const worker = at % workerCount;
    const readyNs = Math.max(askedNs, freeNs[worker]) + makeNs + (without ? 0 : causeNs);
    freeNs[worker] = readyNs;
    const waitNs = Math.max(0, readyNs - nowNs);
    takenNs.push(nowNs + waitNs);
    nowNs += waitNs + stepNs + (without ? 0 : ownCauseNs);
    return waitNs;
  });
  return { ns: nowNs, waits };
}

test('“at most” is never less than a loop wins without the cause', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = randomFrom(seed);
    const workerCount = 1 + random(6);
    const [make, cause, step, own] = [40, 60, 30, 20].map((most) => random(most));
    const batches = Array.from({ length: 20 + random(80) }, () => ({
      makeNs: (1 + random(2 * make + 1)) * MS,
      causeNs: random(3) === 0 ? random(2 * cause + 1) * MS : 0,
      stepNs: (1 + random(2 * step + 1)) * MS,
      ownCauseNs: random(2 * own + 1) * MS,
    }));
    const slow = runPipeline(batches, workerCount, false);
    const fast = runPipeline(batches, workerCount, true);
    // Each wait is its batch's, split as the making of it was.
    let causedNs = 0;
    let madeNs = 0;
    batches.forEach(({ makeNs, causeNs }, at) => {
      const part = slow.waits[at] * (causeNs / (makeNs + causeNs));
      causedNs += part;
      madeNs += slow.waits[at] - part;
    });
    const sum = (ns: (batch: Batch) => number) => batches.reduce((all, one) => all + ns(one), 0);
    const facts = buildFacts({
      window: [0, slow.ns],
      costs: [
        cell('input', 'worker', 'stolen', causedNs),
        cell('input', 'worker', 'running', madeNs),
        cell(
          'other',
          'main',
          'stolen',
          sum(({ ownCauseNs }) => ownCauseNs),
        ),
      ],
      workers: Array.from({ length: workerCount }, () => ({
        states: { runningNs: sum(({ makeNs }) => makeNs) / workerCount },
      })),
    });
    const claims = isCause('stolen');
    const gain = { reach: 'waits', cpus: workerCount + 1 } as const;
    const bound = gainBound(facts, judgement({ claims, gain }))?.gainUpToNs ?? 0;
    expect(bound, `seed ${seed}`).toBeGreaterThanOrEqual(slow.ns - fast.ns - 1);
    expect(bound, `seed ${seed}`).toBeLessThanOrEqual(slow.ns);
  }
});

test('all waits that might end with a small thing are no bound of it', () => {
  const bound = { gainUpToNs: 6 * SECOND, gainAssumes: '' };
  expect(tellingBound(bound, 'low', SECOND)).toBeUndefined();
  expect(tellingBound(bound, 'low', 2 * SECOND)).toBe(bound);
  expect(tellingBound(bound, 'medium', SECOND)).toBe(bound);
  expect(tellingBound(undefined, 'low', SECOND)).toBeUndefined();
});

test('what a late rank computes may be on the GPU of the others: that is no floor', () => {
  const facts = exampleFacts('late-rank', { starvation: recorded(9 * SECOND, SECOND) });
  const found = lateRank.judge(facts);
  if (found === undefined) throw new Error('no rank is late');
  const claimedNs = facts.costs
    .filter((one) => found.claims?.(one) === true)
    .reduce((sum, { ns }) => sum + ns, 0);
  expect(claimedNs).toBeGreaterThan(SECOND);
  expect(gainBound(facts, found)?.gainUpToNs).toBeGreaterThanOrEqual(claimedNs);
});
