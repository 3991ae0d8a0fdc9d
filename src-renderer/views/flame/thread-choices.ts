import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { eventColumns, remember } from '../../../src-main/timeline/model/event-source.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';

interface ThreadChoice {
  /** Index into threads. */
  readonly thread: number;
  readonly label: string;
}

/** A list of more is no list to choose from. */
const MAX_CHOICES = 500;

/** The threads with events in a table, in the trace's order. */
export function threadChoices(data: TraceData, table: TableName): readonly ThreadChoice[] {
  const columns = eventColumns(data.tables, table);
  const { thread } = columns ?? {};
  if (columns === undefined || thread === undefined) return [];
  return remember(columns, 'thread choices', () => {
    const names = traceNames(data.summary);
    return [...new Set(thread)]
      .filter((each) => each >= 0)
      .sort((a, b) => a - b)
      .slice(0, MAX_CHOICES)
      .map((each) => ({ thread: each, label: names.threadLabel(each) }));
  });
}
