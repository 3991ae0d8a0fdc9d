import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { hostIndexOf } from '../../shared/model/hosts.ts';
import { missesLaunches } from '../../shared/model/missed-launches.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { SIGN_LOADER, SIGN_NONE, stackSigns } from '../loop/stack-signs.ts';
import { servesRequests } from '../loop/step-bounds.ts';
import type { LoaderRanges } from './loader-ranges.ts';
import type { LoopEvidence } from './loop-evidence.ts';

/** What tells waiting for input from other host time. */
type ToldBy = 'evidence' | 'ranges' | 'nothing';

/** With fewer ranges of the loader than half of the steps, these are of a part of the loop only. */
const RANGES_A_STEP = 0.5;

/** Stacks and switches go first: they show also what the loader waited for. */
export function inputToldBy(
  { generations }: Rank,
  { samples, stacks, knowsWakers }: LoopEvidence,
  ranges: LoaderRanges,
  steps: number,
): ToldBy {
  if (samples + stacks > 0 || (knowsWakers && generations.length > 0)) return 'evidence';
  return ranges.count > 0 && ranges.count >= steps * RANGES_A_STEP ? 'ranges' : 'nothing';
}

interface Input {
  readonly rank: Rank;
  readonly window: TimeSpan;
  readonly evidence: LoopEvidence;
  readonly ranges: LoaderRanges;
  readonly told: ToldBy;
  /** Waits that may have been for input, ns. */
  readonly doubtNs: number;
}

/** How input wait was told from other host time, or why it cannot be, in one or two sentences. */
export function inputNote(
  trace: Trace,
  { rank, window, evidence, ranges, told, doubtNs }: Input,
): string {
  const { samples, stacks, queueWaits, knowsWakers } = evidence;
  if (servesRequests(trace, rank))
    return 'A model server has no input wait: outside CUDA calls it is idle between requests, as far as its waits for them are stored, or does other work on the CPU.';
  if (rank.mainThread < 0) return 'The training thread is not known: input wait cannot be told.';
  if (told === 'ranges')
    return `Input wait is derived from ${plural(ranges.count, 'range')} that the trace has around the loader’s \`__next__\` on the training thread: what it waited for in them is not known.`;
  const said: string[] = [];
  if (queueWaits > 0)
    said.push(
      `${plural(queueWaits, 'wait')} that a DataLoader worker or the pin-memory thread ended, with preemptions right beside them`,
    );
  if (stacks > 0) said.push(`${plural(stacks, 'stack')} of the thread leaving the CPU`);
  if (samples > 0) said.push(`${plural(samples, 'sampled Python stack')}`);
  if (said.length === 0) return noEvidence(trace, rank, knowsWakers) + prefetching(ranges);
  const list = said.join(', ');
  const bound =
    samples + stacks === 0
      ? ' Without stacks of the training thread only these waits count: input is at least this much.'
      : ' What lies between samples that disagree, and waits that nothing shows to be for input, are counted as other time: input is at least this much.';
  const doubt =
    doubtNs > 0
      ? ` Waits of ${formatDuration(doubtNs)} in all lie beside samples that are in the loader, but have no stack of their own: whether they were for input is not known.${stacksAdvice(trace)}`
      : '';
  return `Input wait is derived from ${list}.${bound}${doubt}${countedLaunches(trace, rank, window)}`;
}

/** How to get the stacks of the waits that have none; empty where all have one that could be taken. */
function stacksAdvice({ capabilities, tables }: Trace): string {
  if (tables.off_cpu.columnProvenance.stack?.kind === 'exact') return '';
  const hasBpf = capabilities.some(({ name, available }) => name === 'bpf' && available);
  return hasBpf
    ? ' Record with --profile off-cpu-stacks: it takes those of short waits too.'
    : ' Record with BPF: it takes the stacks of long waits.';
}

function noEvidence(trace: Trace, rank: Rank, knowsWakers: boolean): string {
  const calls = callStacksText(trace, rank.mainThread);
  const lacking = `${calls}No Python stack of the training thread outside of CUDA calls is in the trace`;
  if (!knowsWakers)
    return `${lacking}, nor who ended its waits: input wait cannot be told from other host time. Record with CPU samples and switches.`;
  return rank.generations.length > 0
    ? `${lacking}, and no DataLoader worker ended a wait of it: no input wait is shown.`
    : `${lacking}, and no DataLoader workers: input wait cannot be told from other host time. Record with CPU samples.`;
}

/** What the Python stacks of the calls of `thread` say, as a sentence; empty where they have none. */
function callStacksText(trace: Trace, thread: number): string {
  const { stack } = trace.tables.cuda_call.columns;
  const { signs } = stackSigns(trace);
  const { rows } = traceIndex(trace).rowsOf('cuda_call', thread);
  const told = Array.from(rows, (row) => signs[stack?.[row] ?? -1] ?? SIGN_NONE);
  if (told.every((sign) => sign === SIGN_NONE)) return '';
  const loading = told.filter((sign) => sign === SIGN_LOADER).length;
  const inLoader = loading > 0 ? ` (${plural(loading, 'call')} inside the DataLoader)` : '';
  return `The Python stacks of its CUDA calls say what the training thread did in them${inLoader}, not between them. `;
}

/** A thread of its own that fetches batches delays the loop only where its queue is empty: that is not told. */
function prefetching({ elsewhere }: LoaderRanges): string {
  if (elsewhere === 0) return '';
  return ` ${plural(elsewhere, 'range')} of the loader’s \`__next__\` are on another thread: they don’t say when the training thread waited.`;
}

/** Launches that are counted only have no place of their own: they are in other time. */
function countedLaunches(trace: Trace, rank: Rank, [fromNs, toNs]: TimeSpan): string {
  const { startNs, thread, count, stored } = trace.tables.aggregate.columns;
  let launches = 0;
  for (let row = 0; row < startNs.length; row++) {
    if (thread[row] !== rank.mainThread || startNs[row] < fromNs || startNs[row] >= toNs) continue;
    launches += count[row] - Math.max(0, stored?.[row] ?? 0);
  }
  if (launches <= 0) return '';
  const missed = missesLaunches(trace, hostIndexOf(trace, rank.mainThread))
    ? ' So is the time of launches between probe windows.'
    : '';
  return ` ${plural(launches, 'launch', 'launches')} were counted only: their time is in other time.${missed}`;
}
