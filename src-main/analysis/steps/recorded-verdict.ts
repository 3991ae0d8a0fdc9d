import type { DeviceTime } from '../../shared/answers/steps.ts';
import { upperFirst } from '../../shared/text/text.ts';
import { formatShare } from '../../shared/text/units.ts';
import { deviceTimeText, idleByText } from '../../shared/words/gpu-time-words.ts';
import { keptCallsWords } from '../../shared/words/kept-words.ts';
import { stepTimeText } from '../../shared/words/step-lengths.ts';
import {
  COMPUTE_SHARE,
  CRITICAL_SHARE,
  MAX_IDLE_SHARE,
  MOSTLY_COPIES,
  type RankVerdict,
  type VerdictInput,
  WARN_SHARE,
} from './verdict-input.ts';

/**
 * What the loop is bound by where the GPU's own records tell what it did: what it computes all the while is
 * the limit, whatever the loop waits for meanwhile; and only that wait costs which leaves it idle. Undefined
 * where the records settle nothing and the loop's phases have to.
 */
export function recordedVerdict(input: VerdictInput, lengthNs: number): RankVerdict | undefined {
  const time = input.starvation.recorded?.all;
  if (time === undefined) return undefined;
  if (time.computingNs >= COMPUTE_SHARE * lengthNs)
    return idleDevices(input, lengthNs).length > 0
      ? takeTurns(input, lengthNs)
      : gpuBound(input, time, lengthNs);
  if (input.steps.basis === 'none' || input.steps.count === 0)
    return time.h2dNs >= MOSTLY_COPIES * lengthNs ? mostlyCopies(time, lengthNs) : undefined;
  if (input.steps.loopUnknown) return undefined;
  const waits = waitsOf(time);
  const bound = waits.input >= waits.h2d ? 'input' : 'h2d';
  const least = Math.max(WARN_SHARE * lengthNs, bound === 'h2d' ? waits.h2d : 0);
  if (!input.inputKnown && time.idleBy.host > least) return notTold(input, time, lengthNs);
  if (waits[bound] >= WARN_SHARE * lengthNs) return boundBy(input, time, bound, lengthNs);
  return waits.host >= MAX_IDLE_SHARE * lengthNs
    ? hostBound(input, time, lengthNs)
    : { verdict: 'balanced', severity: 'info', sentence: `${allOf(input, time, lengthNs)}.` };
}

/**
 * Of records of which any may be missing: more of them could only show more computing. Undefined where what is there
 * is not enough.
 */
export function computesAtLeast(
  { starvation, steps }: VerdictInput,
  lengthNs: number,
): RankVerdict | undefined {
  const { computingLeastNs: leastNs = 0 } = starvation;
  if (!(lengthNs > 0) || leastNs < COMPUTE_SHARE * lengthNs) return undefined;
  const kept = keptCallsWords[steps.keptCalls ?? 'some'];
  const sentence = `The GPU computes for ${formatShare(leastNs, lengthNs)} of the recorded time or more: it is what the job waits for. ${upperFirst(kept)}: what the steps went to is not known.`;
  return { verdict: 'compute-bound', severity: 'info', sentence };
}

/** What kept the GPU from computing: input, copies from the host, and the loop itself. */
function waitsOf({ idleNs, idleBy, h2dNs }: DeviceTime) {
  const { input, copy, collective, request } = idleBy;
  return { input, h2d: h2dNs + copy, host: idleNs - input - copy - collective - request };
}

/** Of several GPUs of one process, those that have nothing to do while others compute. */
function idleDevices({ starvation }: VerdictInput, lengthNs: number): readonly DeviceTime[] {
  const devices = starvation.recorded?.devices ?? [];
  return devices.filter(({ idleNs }) => idleNs >= MAX_IDLE_SHARE * lengthNs);
}

function takeTurns(input: VerdictInput, lengthNs: number): RankVerdict {
  const devices = input.starvation.recorded?.devices ?? [];
  const told = devices.map((time) => `${time.label} ${deviceTimeText(time, lengthNs)}`).join('; ');
  const sentence = `At least one of its ${devices.length} GPUs computes at all times, but the others have little to do: ${told}.`;
  return { verdict: 'compute-bound', severity: 'medium', sentence };
}

function gpuBound({ steps }: VerdictInput, time: DeviceTime, lengthNs: number): RankVerdict {
  const { input } = steps.total;
  const hidden =
    input >= WARN_SHARE * lengthNs
      ? ` The loop waits for input for ${formatShare(input, lengthNs)} of the time, but the GPU has work meanwhile.`
      : '';
  const loses = formatShare(time.idleBy.input + time.idleBy.copy, lengthNs);
  const sentence = `The GPU computes for ${formatShare(time.computingNs, lengthNs)} of the time: it is what the job waits for.${hidden} It loses ${loses} to input and copies, so a faster DataLoader would win no more than that.`;
  return { verdict: 'compute-bound', severity: 'info', sentence };
}

function boundBy(
  input: VerdictInput,
  time: DeviceTime,
  bound: 'input' | 'h2d',
  lengthNs: number,
): RankVerdict {
  const ns = waitsOf(time)[bound];
  return {
    verdict: bound === 'input' ? 'input-bound' : 'h2d-bound',
    severity: ns >= CRITICAL_SHARE * lengthNs ? 'high' : 'medium',
    sentence: (bound === 'input' ? inputText : copyText)(input, time, lengthNs),
  };
}

function inputText(input: VerdictInput, { idleBy }: DeviceTime, lengthNs: number): string {
  return `The GPU has nothing to do for ${formatShare(idleBy.input, lengthNs)} of ${stepTimeText(input.steps, lengthNs)} because the loop waits for input.`;
}

/** Whatever the process is, and wherever its steps begin. */
function mostlyCopies(time: DeviceTime, lengthNs: number): RankVerdict {
  const copies = formatShare(time.h2dNs, lengthNs);
  const sentence = `Copies to the GPU keep it from computing for ${copies} of the recorded time: nothing else runs on it beside them. The GPU was ${deviceTimeText(time, lengthNs)}.`;
  return { verdict: 'h2d-bound', severity: 'high', sentence };
}

function copyText(input: VerdictInput, { h2dNs, idleBy }: DeviceTime, lengthNs: number): string {
  const share = formatShare(h2dNs + idleBy.copy, lengthNs);
  return `Copies to the GPU keep it from computing for ${share} of ${stepTimeText(input.steps, lengthNs)}: nothing else runs on it beside them.`;
}

function hostBound(input: VerdictInput, time: DeviceTime, lengthNs: number): RankVerdict {
  const { host } = waitsOf(time);
  const sentence = `The GPU waits for the training loop, ${formatShare(host, lengthNs)} of ${stepTimeText(input.steps, lengthNs)}, more than for input or for copies: ${idleByText(time, lengthNs, input.inputKnown)}.`;
  const severity = host >= 2 * MAX_IDLE_SHARE * lengthNs ? 'high' : 'medium';
  return { verdict: 'host-bound', severity, sentence };
}

/** What is idle while the loop is outside of calls may be input or not. */
function notTold(input: VerdictInput, time: DeviceTime, lengthNs: number): RankVerdict {
  const sentence = `${allOf(input, time, lengthNs)}. ${input.steps.inputNote}`;
  return { verdict: 'unknown', severity: 'info', sentence };
}

/** `The GPU: computing 42.0 %, idle 58.0 %, of that 41.0 % while …`. */
function allOf({ inputKnown }: VerdictInput, time: DeviceTime, lengthNs: number): string {
  const why = idleByText(time, lengthNs, inputKnown);
  return `The GPU was ${deviceTimeText(time, lengthNs)}${why === '' ? '' : `: ${why}`}`;
}
