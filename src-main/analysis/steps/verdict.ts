import type { PhaseSplit, RequestBursts, StepSummary } from '../../shared/answers/steps.ts';
import { upperFirst } from '../../shared/text/text.ts';
import { formatDuration, formatShare, plural } from '../../shared/text/units.ts';
import { deviceTimeText, idleByText } from '../../shared/words/gpu-time-words.ts';
import { keptCallsWords } from '../../shared/words/kept-words.ts';
import { inWords, loopOwner } from '../../shared/words/loop-words.ts';
import { stepTimeText } from '../../shared/words/step-lengths.ts';
import { computesAtLeast, recordedVerdict } from './recorded-verdict.ts';
import {
  COMPUTE_SHARE,
  CRITICAL_SHARE,
  MAX_IDLE_SHARE,
  MOSTLY_COPIES,
  type RankVerdict,
  type VerdictInput,
  WARN_SHARE,
} from './verdict-input.ts';

/** The verdict on one rank: `serving` for a server, `unknown` where steps or evidence are missing. */
export function rankVerdict(input: VerdictInput): RankVerdict {
  const told = verdictOf(input);
  const { infers } = input.steps;
  return infers ? { ...told, sentence: inWords(told.sentence, loopOwner({ infers })) } : told;
}

function verdictOf(input: VerdictInput): RankVerdict {
  const { steps } = input;
  const lengthNs = steps.window[1] - steps.window[0];
  if (steps.serves) return { ...serving, sentence: servingSentence(steps, lengthNs) };
  if (steps.isSelection)
    return computesAtLeast(input, lengthNs) ?? { ...unknown, sentence: selectionSentence(steps) };
  if (!(lengthNs > 0)) return { ...unknown, sentence: steps.note };
  const recorded = recordedVerdict(input, lengthNs);
  if (recorded !== undefined) return recorded;
  if (steps.basis === 'none' || steps.count === 0)
    return { ...unknown, sentence: `${steps.note}${recordedText(input, lengthNs)}` };
  if (steps.loopUnknown) {
    // Whether it trains or serves: while it copies it does neither.
    if (steps.total.h2d >= MOSTLY_COPIES * lengthNs) {
      const copies = boundVerdict(input, 'h2d', lengthNs);
      const sentence = copies.sentence.replace('the training thread', 'the thread that calls CUDA');
      return { ...copies, sentence };
    }
    return { ...unknown, sentence: unknownLoopSentence(input, lengthNs) };
  }
  const bound = boundBy(steps.total, lengthNs);
  if (mayBeInput(input, bound === 'h2d' ? steps.total.h2d : lengthNs * WARN_SHARE)) {
    const told = bound === 'h2d' ? (['h2d', 'other'] as const) : (['other'] as const);
    const sentence = `${largestFirst(told, input, lengthNs)} ${steps.inputNote}`;
    return { ...unknown, sentence };
  }
  if (bound !== undefined) return boundVerdict(input, bound, lengthNs);
  return isComputing(input, lengthNs) ? computing(input, lengthNs) : balanced(input, lengthNs);
}

const unknown = { verdict: 'unknown', severity: 'info' } as const;
const serving = { verdict: 'serving', severity: 'info' } as const;

function selectionSentence({ basis, note, keptCalls }: StepSummary): string {
  if (basis === 'none') return note;
  return `${note} ${keptSentence(keptCalls)}: what the steps went to is not known.`;
}

const keptSentence = (kept: StepSummary['keptCalls'] = 'some') => upperFirst(keptCallsWords[kept]);

/** Of a loop that may train or serve, what is long is no fault yet. */
function unknownLoopSentence(input: VerdictInput, lengthNs: number): string {
  const { total } = input.steps;
  const share = (ns: number) => formatShare(ns, lengthNs);
  const outside = `${share(total.other + total.input)} of its time it was outside CUDA calls`;
  return `Whether this process trains or answers requests is not known: what it waits in is not recorded, and nothing shows training. ${upperFirst(outside)}; CUDA calls took ${share(total.compute + total.collective)}, copies to the GPU ${share(total.h2d)}${idleText(input, lengthNs)}. If you know what it is, set its role under Processes.`;
}

/** A server that is asked little is idle, and that is no fault of it: nothing is judged. */
function servingSentence(
  { total, isSelection, keptCalls, requests }: StepSummary,
  lengthNs: number,
): string {
  if (isSelection)
    return `This job serves requests. ${keptSentence(keptCalls)}: when it computed, and when it was idle between requests, is not known.`;
  if (!(lengthNs > 0)) return 'This job serves requests; no CUDA call of it is in the trace.';
  const share = (ns: number) => formatShare(ns, lengthNs);
  const outside =
    total.idle > 0
      ? `${share(total.idle)} of the time it was idle between requests, ${share(total.other)} in other work outside CUDA calls`
      : `${share(total.other)} of the time it was outside CUDA calls, idle between requests or in other work on the CPU`;
  const told = `This job serves requests: ${outside}; CUDA calls took ${share(total.compute + total.collective)}, copies to the GPU ${share(total.h2d)}.`;
  return requests === undefined ? told : `${told} ${requestsSentence(requests)}`;
}

/** Fewer values have no 95th percentile of their own. */
const FEW = 20;

/** The middle is what most callers meet, the 95th percentile what one in twenty does: a mean would hide both. */
function requestsSentence({ count, medianNs, p95Ns, waits }: RequestBursts): string {
  const busy = `it was then busy for ${spreadText(count, medianNs, p95Ns)}`;
  const waited = `It waited for the next request for ${spreadText(waits.count, waits.medianNs, waits.p95Ns)}`;
  const longest =
    waits.count > 1 ? `; the longest wait was ${formatDuration(waits.longestNs)}` : '';
  return `${plural(count, 'time', 'times')} a request ended such a wait and CUDA calls followed: ${busy}. ${waited}${longest}.`;
}

/** `8.7 ms (median), and for more than 12 ms in one case of 20`. */
function spreadText(count: number, medianNs: number, p95Ns: number): string {
  const middle = `${formatDuration(medianNs)}${count > 1 ? ' (median)' : ''}`;
  return count < FEW
    ? middle
    : `${middle}, and for more than ${formatDuration(p95Ns)} in one case of 20`;
}

/** Whether waiting for input may be more than `ns`: it cannot be told from other host time. */
function mayBeInput({ inputKnown, steps }: VerdictInput, ns: number): boolean {
  return !inputKnown && steps.total.other > ns;
}

/** The larger of input wait and copies, if it is large enough. */
function boundBy({ input, h2d }: PhaseSplit, lengthNs: number): 'input' | 'h2d' | undefined {
  const larger = input >= h2d ? 'input' : 'h2d';
  return Math.max(input, h2d) >= WARN_SHARE * lengthNs ? larger : undefined;
}

function boundVerdict(input: VerdictInput, bound: 'input' | 'h2d', lengthNs: number): RankVerdict {
  const { [bound]: ns } = input.steps.total;
  return {
    verdict: bound === 'input' ? 'input-bound' : 'h2d-bound',
    severity: ns >= CRITICAL_SHARE * lengthNs ? 'high' : 'medium',
    sentence: `${largestFirst([bound], input, lengthNs).slice(0, -1)}${idleText(input, lengthNs)}.`,
  };
}

function isComputing({ steps, starvation }: VerdictInput, lengthNs: number): boolean {
  if (starvation.basis === 'exact' && starvation.idleNs >= MAX_IDLE_SHARE * lengthNs) return false;
  return steps.total.compute >= COMPUTE_SHARE * lengthNs;
}

function computing(input: VerdictInput, lengthNs: number): RankVerdict {
  const sentence = `${shareOf('compute', input, lengthNs)}; input wait takes ${formatShare(input.steps.total.input, lengthNs)}, copies ${formatShare(input.steps.total.h2d, lengthNs)}.`;
  return { verdict: 'compute-bound', severity: 'info', sentence };
}

function balanced(input: VerdictInput, lengthNs: number): RankVerdict {
  const { total } = input.steps;
  const parts: readonly (readonly [what: string, ns: number])[] = [
    ['input wait', total.input],
    ['copies', total.h2d],
    ['other CUDA calls', total.compute],
    ['other host time', total.other],
    ...(total.collective > 0 ? [['waiting for other ranks', total.collective] as const] : []),
  ];
  const told = parts
    .toSorted(([, one], [, other]) => other - one)
    .map(([what, ns]) => `${what} ${formatShare(ns, lengthNs)}`);
  const sentence = `Neither input wait nor copies stand out: ${told.join(', ')}${idleText(input, lengthNs)}.`;
  return { verdict: 'balanced', severity: 'info', sentence };
}

const subjects = {
  input: 'Waiting for input takes at least',
  h2d: 'Copying to the GPU holds the training thread for',
  compute: 'CUDA calls other than copies to the GPU take',
  collective: 'Waiting for other ranks takes',
  other: 'Host time outside CUDA calls takes',
} as const;
type Told = keyof typeof subjects;

/** What is told of the parts `told`, and of the largest of all where that is another: largest first. */
function largestFirst(told: readonly Told[], input: VerdictInput, lengthNs: number): string {
  const { total } = input.steps;
  const all = Object.keys(subjects) as Told[];
  const largest = all.reduce((most, part) => (total[part] > total[most] ? part : most));
  return [...new Set([...told, largest])]
    .sort((a, b) => total[b] - total[a])
    .map((part, at) =>
      at === 0
        ? `${shareOf(part, input, lengthNs)}.`
        : `${subjects[part]} ${formatShare(total[part], lengthNs)}.`,
    )
    .join(' ');
}

/** `Waiting for input takes at least 37.8 % of the mean step of 42.03 ms`. */
function shareOf(phase: Told, { steps }: VerdictInput, lengthNs: number): string {
  const { [phase]: ns } = steps.total;
  return `${subjects[phase]} ${formatShare(ns, lengthNs)} of ${stepTimeText(steps, lengthNs)}`;
}

/** What is known of the GPU where the loop has no steps to judge. */
function recordedText({ starvation, inputKnown }: VerdictInput, lengthNs: number): string {
  const time = starvation.recorded?.all;
  if (time === undefined) return '';
  const why = idleByText(time, lengthNs, inputKnown);
  return ` The GPU was ${deviceTimeText(time, lengthNs)}${why === '' ? '' : `: ${why}`}.`;
}

function idleText({ starvation }: VerdictInput, lengthNs: number): string {
  if (starvation.basis === 'unknown' || starvation.idleNs === 0) return '';
  const least = starvation.basis === 'bound' ? 'at least ' : '';
  return `; the GPU had nothing to do for ${least}${formatShare(starvation.idleNs, lengthNs)} of the time`;
}
