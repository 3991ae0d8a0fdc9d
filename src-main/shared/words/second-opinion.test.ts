import { expect, test } from 'vitest';
import type { Diagnosis, RankDiagnosis } from '../answers/diagnosis.ts';
import type { TraceMlSummary } from '../library/traceml-summary.ts';
import { opinionRows, secondOpinion } from './second-opinion.ts';

const BEGIN_MS = Date.UTC(2026, 10, 21, 7);
const time = { beginUnixNs: `${BEGIN_MS}000000`, lengthNs: 10e9 };

const input: TraceMlSummary = {
  kind: 'INPUT_BOUND',
  status: 'INPUT-BOUND',
  summary: 'Input wait is 60% of the step.',
  action: 'Increase workers.',
  ranks: 1,
  step: { durationMs: 100, inputMs: 60, computeMs: 30, residualMs: 10 },
  writtenUnixMs: BEGIN_MS + 9_000,
  lengthMs: 8_000,
};

interface Here {
  readonly verdict?: Diagnosis['verdict'];
  readonly split?: Partial<RankDiagnosis['steps']['total']>;
  readonly inputKnown?: boolean;
  readonly isSelection?: true;
}

function here({
  verdict = 'input-bound',
  split = { input: 55, compute: 35, other: 10 },
  inputKnown = true,
  isSelection,
}: Here = {}): Diagnosis {
  const total = { input: 0, h2d: 0, compute: 0, collective: 0, idle: 0, other: 0, ...split };
  const steps = {
    window: [0, 100],
    total,
    typical: { meanNs: 101e6 },
    inputNote: 'Nothing shows what it waited in.',
    ...(isSelection && { isSelection }),
  };
  const rank = { verdict, steps, inputKnown, rank: { label: 'rank 0' } };
  return { verdict, lead: 0, ranks: [rank] } as unknown as Diagnosis;
}

test('agrees where both say the same, with the figures of what it is about', () => {
  const opinion = secondOpinion(input, here(), time);
  expect(opinion).toMatchObject({
    agreement: 'agrees',
    sentence:
      'TraceML and Stalltrace agree: INPUT-BOUND. Waiting for input: 60.0 % of a step by TraceML, at least 55.0 % by Stalltrace.',
    theirs: 'Input wait is 60% of the step. Increase workers.',
  });
  expect(opinionRows(opinion)).toEqual([
    ['Verdict', 'INPUT-BOUND', 'INPUT-BOUND'],
    ['A step, mean', '100.0 ms', '101.0 ms'],
    ['Waiting for input', '60.0 %', '55.0 %'],
    ['Copying to the GPU', 'not measured', '0 %'],
    ['Computing, or waiting for the GPU', '30.0 %', '35.0 %'],
    ['Other host time', '10.0 %', '10.0 %'],
  ]);
});

test('agrees where neither sees a wait or a copy, and says both words', () => {
  const computing = { ...input, kind: 'COMPUTE_BOUND', status: 'COMPUTE-BOUND' };
  const opinion = secondOpinion(computing, here({ verdict: 'balanced' }), time);
  expect(opinion.agreement).toBe('agrees');
  expect(opinion.sentence).toContain(
    'COMPUTE-BOUND by TraceML, BALANCED by Stalltrace: neither sees a wait',
  );
  const residual = { ...input, kind: 'RESIDUAL_HEAVY', status: 'RESIDUAL-HEAVY' };
  const work = here({ verdict: 'balanced', split: { compute: 60, other: 40 } });
  expect(secondOpinion(residual, work, time).agreement).toBe('agrees');
  const none = here({ verdict: 'balanced', split: { compute: 95, other: 5 } });
  expect(secondOpinion(residual, none, time).agreement).toBe('differs');
});

test('differs where they do, with the figures that lie furthest apart', () => {
  const computing = {
    ...input,
    kind: 'COMPUTE_BOUND',
    status: 'COMPUTE-BOUND',
    step: { durationMs: 100, inputMs: 5, computeMs: 91, residualMs: 4 },
  };
  const { agreement, sentence } = secondOpinion(computing, here(), time);
  expect(agreement).toBe('differs');
  expect(sentence).toBe(
    'TraceML says COMPUTE-BOUND, Stalltrace says INPUT-BOUND. They lie furthest apart in “Computing, or waiting for the GPU”: 91.0 % of a step by TraceML, 35.0 % by Stalltrace.',
  );
});

test.each<readonly [string, Partial<TraceMlSummary>, Here, RegExp]>([
  ['which names no cause', { kind: 'INSUFFICIENT_STEP_TIME_DATA' }, {}, /no cause to agree/],
  ['a kind of a later version', { kind: 'NEW', status: 'NEW' }, {}, /NEW, for which .* no verdict/],
  ['this trace does not show it', {}, { verdict: 'unknown' }, /neither confirms nor refutes/],
  [
    'it ended before the trace',
    { writtenUnixMs: BEGIN_MS - 3_600_000 },
    {},
    /another run: it was written .*, before this trace begins/,
  ],
  [
    'it began after the trace',
    { writtenUnixMs: BEGIN_MS + 3_600_000 },
    {},
    /that run began .*, after this trace ends/,
  ],
])('cannot be told where %s', (_, theirs, ours, why) => {
  const opinion = secondOpinion({ ...input, ...theirs }, here(ours), time);
  expect(opinion.agreement).toBe('cannot-tell');
  expect(opinion.sentence).toMatch(why);
});

test('figures that the trace does not have are none', () => {
  const hidden = secondOpinion(input, here({ inputKnown: false, verdict: 'unknown' }), time);
  expect(hidden.rows.find(({ what }) => what === 'Waiting for input')?.ours).toBe('');
  expect(hidden.notes).toContain('Nothing shows what it waited in.');
  const selected = secondOpinion(input, here({ isSelection: true }), time);
  expect(selected.rows.slice(1).every(({ ours }) => ours === '')).toBe(true);
  const empty = secondOpinion({ ...input, step: {} }, { ...here(), ranks: [] }, time);
  expect(empty).toMatchObject({ agreement: 'cannot-tell', rows: [] });
});

test('steps of other lengths are told beside the verdicts', () => {
  const longer = { ...input, step: { ...input.step, durationMs: 300 } };
  expect(secondOpinion(longer, here(), time).sentence).toMatch(
    / But a mean step takes 300\.0 ms by TraceML and 101\.0 ms by Stalltrace: /,
  );
  expect(secondOpinion(input, here(), time).sentence).not.toContain('But');
});

test('a host that cannot keep up is told from what TraceML counts as compute', () => {
  const computing = { ...input, kind: 'COMPUTE_BOUND', status: 'COMPUTE-BOUND' };
  const host = here({ verdict: 'host-bound', split: { input: 1, compute: 14, other: 78 } });
  expect(secondOpinion(computing, host, time).sentence).toMatch(
    / Both may be right: TraceML counts/,
  );
  expect(secondOpinion({ ...computing, clock: 'gpu' }, host, time).sentence).not.toContain('Both');
  expect(secondOpinion(input, host, time).sentence).not.toContain('Both');
  const residual = { ...input, kind: 'RESIDUAL_HEAVY', status: 'RESIDUAL-HEAVY' };
  expect(secondOpinion(residual, host, time).sentence).toMatch(
    /^TraceML and Stalltrace agree: RESIDUAL-HEAVY by TraceML, HOST-BOUND by Stalltrace: the time goes to the program’s own work/,
  );
});

test('whether both are of one run is said where no time tells', () => {
  const untold =
    'Whether both are of one run is not known: one of them does not say when it was recorded.';
  expect(secondOpinion(input, here(), time).notes).not.toContain(untold);
  expect(secondOpinion(input, here(), { ...time, beginUnixNs: '0' }).notes).toContain(untold);
});
