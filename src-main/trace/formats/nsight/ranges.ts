import { NONE } from '../../../shared/model/schema.ts';
import { cleanText, MAX_NAME_LENGTH } from '../../../shared/text/text.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, processIn, textOf, threadIn } from './export-tables.ts';
import { operatorName } from './operator-names.ts';
import { momentOf, spanOf } from './spans.ts';
import { type ExportStrings, NOT_KNOWN } from './strings.ts';
import { type ExportSyncs, SYNC_CALL, SYNCS } from './syncs.ts';
import type { ExportTasks } from './tasks.ts';

/** Of the OS runtime libraries. */
const LIBRARY_CALLS = 'OSRT_API';
/** `eventType` of NVTX_EVENTS. */
const MARK = 34;
const PUSH_POP = 59;
const START_END = 60;
const DOMAIN = 75;
const RANGES = new Set<Cell>([PUSH_POP, START_END]);

const text = textOf('text', MAX_NAME_LENGTH + 1);

/**
 * Ranges and marks of NVTX, calls of the OS runtime libraries, and waits for GPUs. These repeat what calls say: as with
 * PyTorch’s profiler they are on no thread. How many rows could not be used.
 */
export function addRanges(
  tables: ExportTables,
  strings: ExportStrings,
  tasks: ExportTasks,
  syncs: ExportSyncs,
  trace: TraceBuilder,
) {
  const rows = trace.rows('range', {
    expected: tables.count('NVTX_EVENTS', LIBRARY_CALLS, SYNCS),
    optional: ['domain', 'endThread'],
  });
  const { columns } = rows;
  const { names } = trace;
  const domains = domainNames(tables, strings);
  /** Rows whose end is not in the file. */
  const open: number[] = [];
  let skipped = 0;

  function add(startNs: number, durationNs: number, name: string, category: string): number {
    const row = rows.add();
    columns.startNs[row] = startNs;
    columns.durationNs[row] = durationNs;
    columns.op[row] = names.add(name === '' ? NOT_KNOWN : name);
    columns.category[row] = names.add(category);
    return row;
  }

  const nvtx = [
    ...['start', 'end', 'eventType', 'textId', 'domainId', text],
    ...[processIn('globalTid'), threadIn('globalTid')],
    ...[processIn('endGlobalTid'), threadIn('endGlobalTid')],
  ];
  for (const cells of tables.rows('NVTX_EVENTS', nvtx)) {
    const [start, end, type, textId, domain, words, pid, tid, endPid, endTid] = cells;
    if (type !== MARK && !RANGES.has(type)) continue;
    const startNs = momentOf(start);
    const isOpen = type !== MARK && end === null;
    const span = type === MARK || isOpen ? { durationNs: 0 } : spanOf(start, end);
    if (startNs === undefined || span === undefined) {
      skipped++;
      continue;
    }
    const own = typeof words === 'string' ? cleanText(words, MAX_NAME_LENGTH) : undefined;
    const name = operatorName(own ?? strings.of(textId));
    const row = add(startNs, span.durationNs, name, 'NVTX');
    columns.thread[row] = tasks.thread(pid, tid);
    const endThread = endTid === null ? NONE : tasks.thread(endPid, endTid);
    columns.endThread[row] = endThread === columns.thread[row] ? NONE : endThread;
    const domainName = domains.get(domainKey(pid, domain));
    if (domainName !== undefined) columns.domain[row] = names.add(domainName);
    if (isOpen) open.push(row);
  }
  const calls = ['start', 'end', 'nameId', processIn('globalTid'), threadIn('globalTid')];
  for (const { count, cells } of tables.pages(LIBRARY_CALLS, calls)) {
    const [start, end, nameId, pid, tid] = cells;
    for (let at = 0; at < count; at++) {
      const span = spanOf(start[at], end[at]);
      if (span === undefined) {
        skipped++;
        continue;
      }
      const row = add(span.startNs, span.durationNs, strings.of(nameId[at]), 'OS runtime');
      columns.thread[row] = tasks.thread(pid[at], tid[at]);
    }
  }
  for (const { count, cells } of tables.pages(SYNCS, ['start', 'end', ...SYNC_CALL])) {
    const [start, end, correlation, pid] = cells;
    for (let at = 0; at < count; at++) {
      const span = spanOf(start[at], end[at]);
      const name = syncs.nameOf(pid[at], correlation[at]);
      if (span === undefined) skipped++;
      else add(span.startNs, span.durationNs, name, 'cuda_sync');
    }
  }
  return { rows, open, skipped };
}

const domainKey = (pid: Cell | undefined, domain: Cell | undefined) => `${pid} ${domain}`;

/** A domain is an event too, of which only the name says anything. */
function domainNames(tables: ExportTables, strings: ExportStrings): Map<string, string> {
  const domains = new Map<string, string>();
  const columns = ['eventType', 'domainId', 'textId', text, processIn('globalTid')];
  for (const [type, domain, textId, words, pid] of tables.rows('NVTX_EVENTS', columns)) {
    if (type !== DOMAIN) continue;
    const name = typeof words === 'string' ? cleanText(words, MAX_NAME_LENGTH) : undefined;
    const known = name ?? strings.find(textId);
    if (known !== undefined && known !== '') domains.set(domainKey(pid, domain), known);
  }
  return domains;
}
