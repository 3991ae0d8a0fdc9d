import { tableNames } from '../../shared/model/schema.ts';
import type { Notice, Tables, Trace } from '../../shared/model/trace.ts';

/**
 * Of a file that lacks what was recorded last, no table holds every event: `losses` are what is known
 * of that, of which a warning says that events may be missing.
 */
export function markPartial(trace: Trace, losses: readonly Notice[]): Trace {
  const loss = losses.find(({ level }) => level === 'warning');
  const marked = losses.map(
    (notice): Notice => (notice.level === 'warning' ? { ...notice, loss: 'log' } : notice),
  );
  const notices = [...marked, ...trace.notices];
  if (loss === undefined) return { ...trace, notices };
  const tables = tableNames.map((name) => {
    const table = trace.tables[name];
    if (table.provenance.kind !== 'exact') return [name, table];
    const note = [table.provenance.note, loss.text].filter((part) => part !== '').join(' ');
    return [name, { ...table, provenance: { kind: 'partial', note } }];
  });
  return { ...trace, notices, tables: Object.fromEntries(tables) as Tables };
}
