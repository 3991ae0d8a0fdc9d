import { describe, expect, test } from 'vitest';
import type { CausalChain, Finding } from '../../../shared/answers/diagnosis.ts';
import { noEvents } from '../../../shared/model/event-ref.ts';
import { causalChain } from '../causal-chains.ts';
import { claimCells, costOf, severityOf, totalCost, whyCostsLess } from '../claim-costs.ts';
import type { Judgement } from '../rule.ts';
import { type Charge, createCells } from './cost-cells.ts';
import type { CostCell } from './facts.ts';

const fact = { text: '', basis: 'exact', events: noEvents } as const;

function charge(given: Partial<Charge>): Charge {
  const { startNs = 0, ns = 10 } = given;
  return {
    phase: 'input',
    whose: 'worker',
    cause: 'running',
    ns,
    starvedNs: ns,
    hiddenNs: 0,
    startNs,
    endNs: startNs + ns,
    ...given,
  };
}

function judgement(given: Partial<Judgement>): Judgement {
  return {
    title: 'Something',
    sentence: '',
    confidence: 'proven',
    evidence: [],
    fix: { title: '', text: '', before: '', after: '', language: 'python', sources: [] },
    chain: { system: fact, host: fact, cuda: fact },
    ...given,
  };
}

function cellsOf(charges: readonly Partial<Charge>[]) {
  const cells = createCells();
  for (const each of charges) cells.add(charge(each));
  return cells.finish({ idle: true, computing: false });
}

describe('cells', () => {
  test('sum what is charged, and keep the longest stretches', () => {
    const charges = Array.from({ length: 200 }, (_, at) => ({
      ns: 1 + (at % 100),
      startNs: at * 1000,
    }));
    const [cell, ...others] = cellsOf([...charges, { ns: 0, cause: 'disk' }]);
    expect(others).toEqual([]);
    expect(cell).toMatchObject({ ns: 10_100, starvedNs: 10_100, count: 200 });
    const lengths = cell.spans.map(([startNs, endNs]) => endNs - startNs);
    expect(lengths).toEqual(Array.from({ length: 50 }, (_, at) => 100 - Math.floor(at / 2)));
  });

  test('count the stretches that have nearly all of it', () => {
    const counted = (lengths: readonly number[]) =>
      cellsOf(lengths.map((ns, at) => ({ ns, startNs: at * 1e9 })))[0].spanCount;
    const equal = Array.from({ length: 340 }, () => 1e6);
    expect(counted(equal)).toBe(340);
    // Of 340 steps 42 are slow, more and more so; in the others it is there for a moment.
    const slow = Array.from({ length: 42 }, (_, at) => 6e7 + at * 1.5e6);
    const hardly = Array.from({ length: 6758 }, () => 1e3);
    expect(counted([...hardly, ...slow])).toBe(42);
    // One outlier hides none of the others.
    expect(counted([5e8, ...equal])).toBe(341);
  });

  test('a stretch is one, however many charges are of it, with the sum of them', () => {
    const span = { startNs: 100, endNs: 200 };
    const waits = Array.from({ length: 30 }, () => ({ ...span, ns: 3 }));
    const other = { startNs: 300, endNs: 400, ns: 60 };
    const [cell] = cellsOf([...waits, other, { cause: 'disk', ...other }]);
    expect(cell).toMatchObject({ spanCount: 2, count: 31, spanNs: [90, 60] });
    expect(cell.spans).toEqual([
      [100, 200],
      [300, 400],
    ]);
  });

  test('are apart by phase, owner and cause', () => {
    const cells = cellsOf([{}, { phase: 'other' }, { whose: 'main' }, { cause: 'disk' }, {}]);
    expect(cells.map(({ ns }) => ns)).toEqual([20, 10, 10, 10]);
  });
});

describe('a cost', () => {
  test('is idle time of the device outside CUDA calls, the step’s time inside', () => {
    const hidden = { ns: 100, starvedNs: 30 };
    const [input] = cellsOf([hidden]);
    const [copy] = cellsOf([{ ...hidden, phase: 'h2d', whose: 'main', cause: 'staging' }]);
    expect(costOf(input)).toBe(30);
    expect(costOf(copy)).toBe(100);
    expect(costOf({ ...input, starvedNs: -1 })).toBe(100);
  });

  test('belongs to the first that claims it', () => {
    const cells = cellsOf([{ cause: 'disk', ns: 5 }, { ns: 7 }]);
    const all = judgement({ claims: () => true });
    const disk = judgement({ claims: ({ cause }) => cause === 'disk' });
    const claims = claimCells(
      [
        { id: 'disk-bound', judgement: disk },
        { id: 'slow-getitem', judgement: all },
        { id: 'prefetch', judgement: all },
        { id: 'not-input', judgement: judgement({}) },
      ],
      cells,
    );
    expect(claims.map((claim) => totalCost(claim.cells))).toEqual([5, 7, 0, 0]);
  });

  test('is shared by causes of the same time, and with nobody after one that shares nothing', () => {
    const cells = cellsOf([{ cause: 'disk', ns: 10 }, { ns: 100 }]);
    const few = judgement({ claims: () => true, claimShare: 0.4 });
    const slow = judgement({ claims: ({ cause }) => cause === 'running' });
    const costsOf = (...judged: Judgement[]) =>
      claimCells(
        judged.map((one, at) => ({ id: String(at), judgement: one })),
        cells,
      ).map((claim) => totalCost(claim.cells));
    expect(costsOf(few, slow, slow)).toEqual([50, 60, 0]);
    expect(costsOf(few)).toEqual([110]);
    // Of what one leaves, the next may leave a part too.
    expect(costsOf(few, few, slow)).toEqual([44, 30, 36]);
    // What a finding before it has is not shared.
    expect(costsOf(slow, few)).toEqual([100, 10]);
  });

  test('of which a part is measured is no more than that, whoever else claims it', () => {
    const cells = cellsOf([{ ns: 100 }]);
    const measured = judgement({ claims: () => true, claimPart: () => 0.3 });
    const slow = judgement({ claims: () => true });
    const costsOf = (...judged: Judgement[]) =>
      claimCells(
        judged.map((one, at) => ({ id: String(at), judgement: one })),
        cells,
      ).map((claim) => totalCost(claim.cells));
    expect(costsOf(measured, slow)).toEqual([30, 70]);
    expect(costsOf(measured)).toEqual([30]);
    const [alone] = claimCells([{ id: 'memory-limit', judgement: measured }], cells);
    expect(whyCostsLess(alone, cells)).toBeUndefined();
  });

  test('that is less than the time a finding tells of says where the rest is', () => {
    const cells = cellsOf([
      { cause: 'disk', ns: 5e6 },
      { ns: 8e6, starvedNs: 6e6 },
    ]);
    const why = (...claims: Judgement['claims'][]) => {
      const judged = claims.map((claim) => ({
        id: 'x',
        judgement: judgement(claim === undefined ? {} : { claims: claim }),
      }));
      return claimCells(judged, cells).map((claim) => whyCostsLess(claim, cells));
    };
    expect(
      why(
        ({ cause }) => cause === 'disk',
        () => true,
        () => true,
        undefined,
      ),
    ).toEqual([
      undefined,
      'Not counted as its cost: 2.000 ms in which the GPU may have been busy; 5.000 ms that count with another finding',
      'None of its time is counted as its cost: 13.00 ms that count with another finding',
      undefined,
    ]);
  });

  test('is as severe as its share, as far as another run will show it too', () => {
    const severe = ['high', 'medium', 'medium', 'low'];
    expect([0.223, 0.21, 0.112, 0.105].map((share) => severityOf(share, true, false))).toEqual(
      severe,
    );
    // Nothing costs more: it is what there is to say.
    expect([0.2, 0.19, 0.1, 0.09].map((share) => severityOf(share, true, true))).toEqual(severe);
    expect(severityOf(0.5, false, true)).toBe('info');
  });
});

/** The chain of the first of these judgements. */
function chainOf(judgements: readonly Partial<Judgement>[], cells: readonly CostCell[]) {
  const judged = judgements.map((given, at) => ({ id: `x${at}`, judgement: judgement(given) }));
  const [claim, ...others] = claimCells(judged, cells);
  const finding: Finding = {
    id: 'x0',
    rank: 0,
    title: '',
    sentence: '',
    severity: 'high',
    costNs: 45,
    costShare: 0.5,
    costBasis: 'inferred',
    confidence: 'proven',
    evidence: [],
    hotLines: [],
    fix: claim.judgement.fix,
  };
  return causalChain(finding, claim, others);
}

const startsOf = ({ occurrences }: CausalChain) => occurrences.map(({ startNs }) => startNs);
const isCause =
  (...causes: CostCell['cause'][]) =>
  ({ cause }: CostCell) =>
    causes.includes(cause);

describe('a chain', () => {
  test('lists each stretch once, in order of time', () => {
    const cells = cellsOf([
      { startNs: 900, ns: 10 },
      { startNs: 100, endNs: 130, ns: 20 },
      { startNs: 100, endNs: 130, ns: 10 },
      { startNs: 100, endNs: 130, ns: 5, cause: 'disk' },
    ]);
    const chain = chainOf([{ claims: () => true }], cells);
    expect(startsOf(chain)).toEqual([100, 900]);
    expect(chain.occurrences[0]?.costNs).toBe(35);
    expect(chain.occurrenceCount).toBe(2);
  });

  /** Waits for a batch, and a save that took longer because the worker that makes batches had the CPU. */
  const save = { phase: 'other', whose: 'main', startNs: 500, endNs: 660 } as const;
  const crowded = cellsOf([
    { startNs: 100, ns: 50 },
    { startNs: 300, ns: 40 },
    { ...save, cause: 'runnable-own', ns: 66 },
    { ...save, cause: 'fault', ns: 90 },
  ]);
  const loading = {
    claims: isCause('running', 'runnable-own'),
    beside: isCause('runnable-own'),
  };
  const saving = { claims: isCause('fault') };

  test('is of the waits that a cause made, not of what else it only made longer', () => {
    const chain = chainOf([loading, saving], crowded);
    expect(startsOf(chain)).toEqual([100, 300]);
    expect(chain.occurrenceCount).toBe(2);
    expect(startsOf(chainOf([loading], crowded))).toEqual([100, 300]);
    expect(startsOf(chainOf([saving, loading], crowded))).toEqual([500]);
  });

  test('leaves a stretch to the cause that costs most in it', () => {
    const cells = cellsOf([
      { startNs: 100, endNs: 200, ns: 70, cause: 'runnable-own' },
      { startNs: 100, endNs: 200, ns: 30 },
      { startNs: 300, endNs: 400, ns: 80, cause: 'disk' },
      { startNs: 300, endNs: 400, ns: 20, cause: 'runnable-own' },
    ]);
    const waiting = { claims: isCause('runnable-own') };
    const reading = { claims: isCause('disk') };
    expect(startsOf(chainOf([waiting, reading], cells))).toEqual([100]);
    // Where nothing else is found, it happened in both.
    expect(startsOf(chainOf([waiting], cells))).toEqual([100, 300]);
  });

  test('is of all its waits where each is more of another cause, and of what it makes longer where it has none', () => {
    const [half, most] = [{ claimPart: () => 0.4 }, { claimPart: () => 0.6 }];
    const cells = cellsOf([
      { startNs: 100, ns: 50 },
      { startNs: 300, ns: 40 },
    ]);
    const claims = isCause('running');
    expect(
      startsOf(
        chainOf(
          [
            { claims, ...half },
            { claims, ...most },
          ],
          cells,
        ),
      ),
    ).toEqual([100, 300]);
    const only = crowded.filter(isCause('runnable-own', 'fault'));
    expect(startsOf(chainOf([loading, saving], only))).toEqual([500]);
  });
});
