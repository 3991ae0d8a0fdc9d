import type { Diagnosis, RankDiagnosis, TraceVerdict } from '../answers/diagnosis.ts';
import type { TraceSummary } from '../answers/summary.ts';
import type { TraceMlSummary } from '../library/traceml-summary.ts';
import { formatDuration, formatShare } from '../text/units.ts';
import { phaseLabels, verdictLabels } from './terms.ts';

/** What TraceML says of a run, beside what this trace says of it. */
export interface SecondOpinion {
  readonly agreement: 'agrees' | 'differs' | 'cannot-tell';
  /** Whether they agree, with figures, or why that cannot be told. */
  readonly sentence: string;
  /** TraceML's own words, and what it would do. */
  readonly theirs: string;
  /** `INPUT-BOUND` of both. */
  readonly verdicts: { readonly theirs: string; readonly ours: string };
  /** What both measured, in the order of a step: figures as they are shown, empty = not measured. */
  readonly rows: readonly {
    readonly what: string;
    readonly theirs: string;
    readonly ours: string;
  }[];
  /** What to know before it is believed. */
  readonly notes: readonly string[];
}

export const agreementLabels: Readonly<Record<SecondOpinion['agreement'], string>> = {
  agrees: 'Stalltrace agrees',
  differs: 'Stalltrace says otherwise',
  'cannot-tell': 'no comparison',
};

export const opinionHead = ['', 'TraceML', 'Stalltrace'] as const;

/** The verdicts and the figures of both, as cells under `opinionHead`. */
export function opinionRows({ verdicts, rows }: SecondOpinion): string[][] {
  const figure = (text: string) => (text === '' ? 'not measured' : text);
  return [
    ['Verdict', verdicts.theirs, verdicts.ours],
    ...rows.map(({ what, theirs, ours }) => [what, figure(theirs), figure(ours)]),
  ];
}

type TimeOfTrace = Pick<TraceSummary, 'beginUnixNs' | 'lengthNs'>;

/**
 * Kinds of TraceML's primary diagnosis (1.7) and our verdicts that say the same, the closest first. Of kinds that
 * are not here there is none.
 */
const sameVerdicts: Readonly<Record<string, readonly TraceVerdict[]>> = {
  INPUT_BOUND: ['input-bound'],
  INPUT_STRAGGLER: ['input-straggler'],
  H2D_BOUND: ['h2d-bound'],
  COMPUTE_BOUND: ['compute-bound', 'balanced'],
  RESIDUAL_HEAVY: ['host-bound'],
  BALANCED: ['balanced', 'compute-bound'],
  NO_CLEAR_PERFORMANCE_BOTTLENECK: ['balanced', 'compute-bound'],
};
/** Its kinds that say that it does not know. */
const UNDECIDED =
  /^(?:INSUFFICIENT_STEP_TIME_DATA|LOW_GPU_UTILIZATION_UNEXPLAINED|NO_DATA|INCOMPLETE_DATA|WARMUP)$/;
/** Of a job whose own work is 10 % of the time, TraceML says RESIDUAL_HEAVY; ours has no verdict for it without GPU records. */
const RESIDUAL_SHARE = 0.1;
/** Clocks of two programs on one machine are one; a run is started and ended by hand. */
const APART_MS = 60_000;

/** Puts TraceML's summary beside the diagnosis of a trace of the same run. */
export function secondOpinion(
  summary: TraceMlSummary,
  diagnosis: Diagnosis,
  time: TimeOfTrace,
): SecondOpinion {
  const own = diagnosis.ranks[diagnosis.lead ?? 0];
  const ours = verdictLabels[diagnosis.verdict];
  const apart = otherTime(summary, time);
  const rows = own === undefined ? [] : rowsOf(summary, own);
  return {
    ...judged({ summary, diagnosis, own, apart }),
    theirs: [summary.summary, summary.action ?? ''].filter((text) => text !== '').join(' '),
    verdicts: { theirs: summary.status, ours },
    rows,
    notes: notesOf(summary, diagnosis, own, time),
  };
}

interface Both {
  readonly summary: TraceMlSummary;
  readonly diagnosis: Diagnosis;
  readonly own: RankDiagnosis | undefined;
  readonly apart: string | undefined;
}

function judged({
  summary,
  diagnosis,
  own,
  apart,
}: Both): Pick<SecondOpinion, 'agreement' | 'sentence'> {
  const cannot = (sentence: string) => ({ agreement: 'cannot-tell', sentence }) as const;
  const said = `TraceML says ${summary.status}`;
  if (apart !== undefined)
    return cannot(
      `TraceML’s summary is of another run: ${apart} So its ${summary.status} neither confirms nor refutes what this trace shows.`,
    );
  if (UNDECIDED.test(summary.kind))
    return cannot(`${said}, which names no cause to agree or disagree with.`);
  if (diagnosis.verdict === 'unknown' || own === undefined)
    return cannot(
      `${said}. This trace does not show what the steps wait for, so it neither confirms nor refutes that.`,
    );
  const same = sameVerdicts[summary.kind];
  const doubt = otherSteps(summary, own);
  if (same === undefined)
    return cannot(
      `${said}, for which Stalltrace has no verdict of its own: compare the figures. Stalltrace says ${verdictLabels[diagnosis.verdict]}.`,
    );
  if (same.includes(diagnosis.verdict) || isResidual(summary, own)) {
    return {
      agreement: 'agrees',
      sentence: `TraceML and Stalltrace agree: ${summary.status}${agreeingWords(summary, diagnosis)}${agreeingFigures(summary, own)}.${doubt}`,
    };
  }
  return {
    agreement: 'differs',
    sentence: `TraceML says ${summary.status}, Stalltrace says ${verdictLabels[diagnosis.verdict]}${differingFigures(summary, own)}.${whyBothMayHold(summary, diagnosis)}${doubt}`,
  };
}

function isResidual({ kind }: TraceMlSummary, { steps, verdict }: RankDiagnosis): boolean {
  const lengthNs = steps.window[1] - steps.window[0];
  return (
    kind === 'RESIDUAL_HEAVY' &&
    (verdict === 'balanced' || verdict === 'compute-bound') &&
    steps.total.other >= RESIDUAL_SHARE * lengthNs
  );
}

/** What they agree on, where they have different words for it. */
function agreeingWords({ kind, status }: TraceMlSummary, { verdict }: Diagnosis): string {
  const ours = verdictLabels[verdict];
  if (ours === status) return '';
  if (kind === 'RESIDUAL_HEAVY')
    return verdict === 'host-bound'
      ? ` by TraceML, ${ours} by Stalltrace: the time goes to the program’s own work on the CPU`
      : ' by TraceML, other host time above 10 % by Stalltrace';
  return ` by TraceML, ${ours} by Stalltrace: neither sees a wait for data or a copy that stands out`;
}

/** What TraceML counts as compute, and Stalltrace tells apart. */
function whyBothMayHold({ kind, clock }: TraceMlSummary, { verdict }: Diagnosis): string {
  const isCompute = sameVerdicts[kind]?.includes('compute-bound') === true;
  return isCompute && clock !== 'gpu' && verdict === 'host-bound'
    ? ' Both may be right: TraceML counts all time in forward, backward and the optimizer as compute, also where the CPU prepares work and the GPU waits for it.'
    : '';
}

/** What of a step is told of both: TraceML's part, and the phases here that are the same. */
const parts = [
  { what: phaseLabels.input, theirs: 'inputMs', ours: ['input'] },
  { what: phaseLabels.h2d, theirs: 'h2dMs', ours: ['h2d'] },
  { what: phaseLabels.compute, theirs: 'computeMs', ours: ['compute', 'collective'] },
  { what: phaseLabels.other, theirs: 'residualMs', ours: ['other', 'idle'] },
] as const;
type Part = (typeof parts)[number];

const partOfKind: Readonly<Record<string, Part['theirs']>> = {
  INPUT_BOUND: 'inputMs',
  H2D_BOUND: 'h2dMs',
  COMPUTE_BOUND: 'computeMs',
  RESIDUAL_HEAVY: 'residualMs',
};

function sharesOf(part: Part, { step }: TraceMlSummary, { steps, inputKnown }: RankDiagnosis) {
  const lengthNs = steps.window[1] - steps.window[0];
  const ms = step[part.theirs];
  const isToldHere = lengthNs > 0 && steps.isSelection === undefined;
  const isHidden = part.theirs === 'inputMs' && !inputKnown;
  const ns = part.ours.reduce((total, phase) => total + steps.total[phase], 0);
  return {
    theirs: ms !== undefined && step.durationMs ? ms / step.durationMs : undefined,
    ours: isToldHere && !isHidden ? ns / lengthNs : undefined,
  };
}

/** Parts that both measured, with `94.7 % by TraceML, at least 91.2 % by Stalltrace`. */
function measuredParts(summary: TraceMlSummary, own: RankDiagnosis) {
  return parts.flatMap((part) => {
    const { theirs, ours } = sharesOf(part, summary, own);
    if (theirs === undefined || ours === undefined) return [];
    const bound = part.theirs === 'inputMs' && ours > 0 ? 'at least ' : '';
    const words = `${formatShare(theirs, 1)} of a step by TraceML, ${bound}${formatShare(ours, 1)} by Stalltrace`;
    return [{ ...part, words, apart: Math.abs(theirs - ours) }];
  });
}

/** Of the part that TraceML's diagnosis is about. */
function agreeingFigures(summary: TraceMlSummary, own: RankDiagnosis): string {
  const about = partOfKind[summary.kind];
  const part = measuredParts(summary, own).find(({ theirs }) => theirs === about);
  return part === undefined ? '' : `. ${part.what}: ${part.words}`;
}

function differingFigures(summary: TraceMlSummary, own: RankDiagnosis): string {
  const [most] = measuredParts(summary, own).toSorted((a, b) => b.apart - a.apart);
  return most === undefined ? '' : `. They lie furthest apart in “${most.what}”: ${most.words}`;
}

function rowsOf(summary: TraceMlSummary, own: RankDiagnosis): SecondOpinion['rows'] {
  const { step } = summary;
  const { typical } = own.steps;
  const length = {
    what: 'A step, mean',
    theirs: step.durationMs === undefined ? '' : formatDuration(step.durationMs * 1e6),
    ours: typical === undefined ? '' : formatDuration(typical.meanNs),
  };
  const share = (part: number | undefined) => (part === undefined ? '' : formatShare(part, 1));
  const split = parts.map((part) => {
    const { theirs, ours } = sharesOf(part, summary, own);
    return { what: part.what, theirs: share(theirs), ours: share(ours) };
  });
  return [length, ...split].filter(({ theirs, ours }) => theirs !== '' || ours !== '');
}

/** Steps whose means differ by more are hardly the same ones. Our own choice. */
const STEP_RATIO = 1.5;

function otherSteps({ step }: TraceMlSummary, own: RankDiagnosis): string {
  const [theirs, ours] = [(step.durationMs ?? 0) * 1e6, own.steps.typical?.meanNs ?? 0];
  if (!(theirs > 0 && ours > 0) || Math.max(theirs / ours, ours / theirs) < STEP_RATIO) return '';
  return ` But a mean step takes ${formatDuration(theirs)} by TraceML and ${formatDuration(ours)} by Stalltrace: they may be of different runs, of different parts of one run, or count something different as a step.`;
}

/** Why they are not of one run, a sentence; undefined where they may be. */
function otherTime(
  { writtenUnixMs, lengthMs }: TraceMlSummary,
  { beginUnixNs, lengthNs }: TimeOfTrace,
): string | undefined {
  const beginMs = Number(BigInt(beginUnixNs) / 1_000_000n);
  if (writtenUnixMs === undefined || !(beginMs > 0)) return undefined;
  const endMs = beginMs + lengthNs / 1e6;
  const day = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (writtenUnixMs < beginMs - APART_MS)
    return `it was written ${day(writtenUnixMs)}, before this trace begins (${day(beginMs)}).`;
  const begunMs = writtenUnixMs - (lengthMs ?? 0);
  if (lengthMs !== undefined && begunMs > endMs + APART_MS)
    return `that run began ${day(begunMs)}, after this trace ends (${day(endMs)}).`;
  return undefined;
}

function notesOf(
  summary: TraceMlSummary,
  { ranks }: Diagnosis,
  own: RankDiagnosis | undefined,
  { beginUnixNs }: TimeOfTrace,
): readonly string[] {
  const isTimed = summary.writtenUnixMs !== undefined && Number(beginUnixNs) > 0;
  const several = Math.max(summary.ranks ?? 1, ranks.length) > 1;
  return [
    'TraceML measures inside the process, by replacing PyTorch functions: what it calls compute is the time in forward, backward and the optimizer, whether work or waiting.',
    ...(summary.clock === 'gpu'
      ? ['Its times are by the GPU’s clock; Stalltrace’s are the training thread’s.']
      : []),
    ...(several && own !== undefined
      ? [`TraceML’s figures are means over its ranks; Stalltrace’s are of ${own.rank.label}.`]
      : []),
    ...(own?.inputKnown === false ? [own.steps.inputNote] : []),
    ...(isTimed
      ? []
      : [
          'Whether both are of one run is not known: one of them does not say when it was recorded.',
        ]),
  ];
}
