import type { Unstored } from '../../shared/answers/range-figures.ts';
import type { Columns } from '../../shared/model/columns.ts';
import { happened } from '../../shared/model/happened.ts';
import { eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { TraceData } from '../model/trace-data.ts';
import { traceNames } from '../model/trace-names.ts';

/** What one name's sums say, inside the range and across its ends. */
interface Sums {
  count: number;
  stored: number;
  readonly spans: TimeWindow[];
}

/** By name, the CUDA calls in `range` that were counted and are not stored. Yields after each name. */
export function* unstoredCalls(
  data: TraceData,
  range: TimeWindow,
): Generator<undefined, ReadonlyMap<string, Unstored>> {
  const sums = data.tables.aggregate as Partial<Columns<'aggregate'>> | undefined;
  const calls = eventColumns(data.tables, 'cuda_call');
  const found = new Map<string, Unstored>();
  if (sums?.op === undefined || calls?.op === undefined) return found;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const isCall = new Set(calls.op);
  for (const op of new Set(sums.op)) {
    if (!isCall.has(op) && !/^CUDA$|^DRIVER$/.test(data.summary.nameSources[op] ?? '')) continue;
    const { inside, across } = sumsOf(
      sums as Columns<'aggregate'>,
      op,
      range,
      data.summary.lengthNs,
    );
    const unstored = {
      inside: missing(inside, calls, op),
      isMore: missing(across, calls, op) > 0,
    };
    const name = names.name(op);
    const known = found.get(name) ?? { inside: 0, isMore: false };
    if (unstored.inside > 0 || unstored.isMore)
      found.set(name, {
        inside: known.inside + unstored.inside,
        isMore: known.isMore || unstored.isMore,
      });
    yield undefined;
  }
  return found;
}

/** The first and the last stretch of a recorder may reach beyond the trace: nothing happened there. */
function sumsOf(sums: Columns<'aggregate'>, op: number, range: TimeWindow, lengthNs: number) {
  const inside: Sums = { count: 0, stored: 0, spans: [] };
  const across: Sums = { count: 0, stored: 0, spans: [] };
  for (let row = 0; row < sums.op.length; row++) {
    const startNs = sums.startNs[row];
    const endNs = startNs + sums.durationNs[row];
    if (sums.op[row] !== op || endNs <= range.startNs || startNs >= range.endNs) continue;
    const isInside =
      Math.max(0, startNs) >= range.startNs && Math.min(lengthNs, endNs) <= range.endNs;
    const into = isInside ? inside : across;
    const stored = sums.stored?.[row] ?? -1;
    into.count += Math.max(0, sums.count[row]);
    into.stored = stored < 0 || into.stored < 0 ? -1 : into.stored + stored;
    into.spans.push({ startNs, endNs });
  }
  return { inside, across };
}

/** Of what was counted over such stretches, what the file does not hold. */
function missing(
  { count, stored, spans }: Sums,
  calls: { readonly startNs: Float64Array; readonly op?: ArrayLike<number> },
  op: number,
): number {
  if (count === 0) return 0;
  const merged = joined(spans);
  let rows = 0;
  for (let row = 0; row < calls.startNs.length; row++) {
    if (calls.op?.[row] !== op) continue;
    const atNs = calls.startNs[row];
    if (merged.some(({ startNs, endNs }) => atNs >= startNs && atNs < endNs)) rows++;
  }
  return happened(count, stored, rows) - rows;
}

function joined(spans: readonly TimeWindow[]): TimeWindow[] {
  const all: TimeWindow[] = [];
  for (const span of spans.toSorted((a, b) => a.startNs - b.startNs)) {
    const last = all.at(-1);
    if (last === undefined || span.startNs > last.endNs) all.push(span);
    else all[all.length - 1] = { ...last, endNs: Math.max(last.endNs, span.endNs) };
  }
  return all;
}
