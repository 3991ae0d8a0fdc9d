import type { BlockRequests } from '../../shared/answers/placed-event.ts';
import type { NumberArray } from '../../shared/model/columns.ts';
import { NEUTRAL_COLOUR } from '../model/colours.ts';
import { eventColumns, gatherEvents, rowsByKey } from '../model/event-source.ts';
import { buildLane, firstEndingAt, firstStartingAt } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import { NO_ROW } from '../model/track-model.ts';

/** The requests under way in [startNs, endNs), at most `most` of them named; nothing where block I/O was not recorded. */
export function blockRequests(
  data: TraceData,
  thread: number,
  startNs: number,
  endNs: number,
  most = 20,
): BlockRequests | undefined {
  const columns = eventColumns(data.tables, 'block_io');
  if (columns === undefined) return undefined;
  const lane = remember(columns, 'all requests', () => {
    const rows = rowsByKey(columns, 'table', undefined).get(-1) ?? new Uint32Array(0);
    return buildLane(gatherEvents(columns, rows, () => NEUTRAL_COLOUR));
  });
  const end = firstStartingAt(lane, endNs);
  const found: { row: number; ns: number }[] = [];
  for (let index = firstEndingAt(lane, startNs); index < end; index++) {
    const endsNs = lane.times.startNs(index) + lane.times.durationNs(index);
    if (endsNs <= startNs) continue;
    const ns = Math.min(endNs, endsNs) - Math.max(startNs, lane.times.startNs(index));
    found.push({ row: lane.rows.at(index) ?? NO_ROW, ns });
  }
  const sizes = (columns as { readonly bytes?: NumberArray }).bytes;
  return {
    rows: found
      .toSorted((a, b) => b.ns - a.ns)
      .slice(0, most)
      .map(({ row }) => row),
    count: found.length,
    bytes: found.reduce((sum, { row }) => sum + Math.max(0, sizes?.[row] ?? 0), 0),
    own: found.filter(({ row }) => columns.thread?.[row] === thread).length,
  };
}
