import { codeOf, directions } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { framesOf } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { groupRows, type RowGroups } from '../index/row-groups.ts';
import { isH2d, type LoopCalls, opKinds } from './loop-calls.ts';
import { stackSigns } from './stack-signs.ts';

/** The calls of a loop that can mark its steps: copies and synchronisations, in order. */
export interface LoopEvents {
  /** Index into the loop's calls, ascending. */
  readonly calls: Uint32Array;
  /** Rows of cuda_call. */
  readonly rows: Uint32Array;
  /** By event: equal for the same operation and direction, whatever the size. */
  readonly kinds: Uint32Array;
  /** By event: number of its Python call site; -1 = not recorded. */
  readonly sites: Int32Array;
}

/** Events that may begin the steps. */
export interface CandidateLoop {
  readonly name: string;
  /** Events, ascending. */
  readonly anchors: Uint32Array;
  /** Events like them from other lines of code: perhaps those of another loop. */
  readonly alike: Uint32Array;
}

/** Most candidates of one sort, those of most bytes first. */
const MAX_CANDIDATES = 8;
const NO_DIRECTION = codeOf(directions, 'none');
/** Keys of groups are made of two numbers below 2^26: exact in a 64-bit float. */
const SECOND = 2 ** 26;

export function loopEvents(trace: Trace, calls: LoopCalls): LoopEvents {
  const { op, direction, stack } = trace.tables.cuda_call.columns;
  const kindOf = opKinds(trace);
  const { sites } = stackSigns(trace);
  const isEvent = Uint8Array.from(kindOf, (kind) => (kind === 'copy' || kind === 'sync' ? 1 : 0));
  const found = new Uint32Array(calls.rows.length);
  let count = 0;
  for (let at = 0; at < calls.rows.length; at++)
    if (isEvent[op[calls.rows[at]]] === 1) found[count++] = at;
  const kept = found.slice(0, count);
  const rows = kept.map((at) => calls.rows[at]);
  const kindKey = (event: number) =>
    op[rows[event]] * directions.length + (direction?.[rows[event]] ?? NO_DIRECTION);
  const siteOf = new Int32Array(count).fill(-1);
  for (let event = 0; stack !== undefined && event < count; event++)
    siteOf[event] = sites[stack[rows[event]]] ?? -1;
  return { calls: kept, rows, kinds: groupRows(count, kindKey).groupOf, sites: siteOf };
}

/**
 * What may begin a step, best sort first: copies to the device of one size and, where all have one,
 * one call site; such copies of any size from one call site; any copy or synchronisation.
 */
export function candidateLoops(trace: Trace, events: LoopEvents, least: number): CandidateLoop[][] {
  const { bytes } = trace.tables.cuda_call.columns;
  const sizes = groupRows(events.rows.length, (event) => bytes?.[events.rows[event]] ?? -1);
  const sized = groupRows(
    events.rows.length,
    (event) => events.kinds[event] * SECOND + sizes.groupOf[event],
  );
  const anySize = groupRows(events.rows.length, (event) => events.kinds[event]);
  const ofOneSize = candidates(trace, events, sized, least);
  const isCopyIn = ({ anchors }: CandidateLoop) => isH2d(trace, events.rows[anchors[0]]);
  return [
    ofOneSize.filter(isCopyIn),
    candidates(trace, events, anySize, least).filter(
      (candidate) => isCopyIn(candidate) && events.sites[candidate.anchors[0]] >= 0,
    ),
    ofOneSize.filter((candidate) => !isCopyIn(candidate)),
  ];
}

function candidates(
  trace: Trace,
  events: LoopEvents,
  alike: RowGroups,
  least: number,
): CandidateLoop[] {
  const count = events.rows.length;
  const unsited = new Uint8Array(alike.counts.length);
  for (let event = 0; event < count; event++)
    if (events.sites[event] < 0) unsited[alike.groupOf[event]] = 1;
  const groups = groupRows(count, (event) => {
    const group = alike.groupOf[event];
    return group * SECOND + (unsited[group] === 1 ? 0 : events.sites[event]);
  });
  const { bytes } = trace.tables.cuda_call.columns;
  const weight = (group: number) =>
    groups.counts[group] * (1 + (bytes?.[events.rows[groups.firstRows[group]]] ?? 0));
  const chosen = groups.counts
    .flatMap((anchors, group) => (anchors >= least ? [group] : []))
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, MAX_CANDIDATES);
  const all = Uint32Array.from(events.rows, (_, event) => event);
  return chosen.map((group) => {
    const family = alike.groupOf[groups.firstRows[group]];
    return {
      name: nameOf(trace, events, groups.firstRows[group]),
      anchors: all.filter((event) => groups.groupOf[event] === group),
      alike: all.filter(
        (event) => alike.groupOf[event] === family && groups.groupOf[event] !== group,
      ),
    };
  });
}

/** `cudaMemcpyAsync to the device, 24.00 MiB, train.py:82`. */
function nameOf(trace: Trace, { rows }: LoopEvents, event: number): string {
  const { op, bytes, stack } = trace.tables.cuda_call.columns;
  const row = rows[event];
  const parts = [trace.names[op[row]] ?? 'a call'];
  if (isH2d(trace, row)) parts[0] += ' to the device';
  const size = bytes?.[row] ?? -1;
  if (size >= 0 && opKinds(trace)[op[row]] === 'copy') parts.push(formatBytes(size));
  const line = framesOf(trace.stacks, stack?.[row] ?? NONE).find(
    ({ language, file }) => language === 'python' && file !== undefined,
  );
  if (line?.file !== undefined) parts.push(`${line.file.split('/').at(-1)}:${line.line ?? '?'}`);
  return parts.join(', ');
}
