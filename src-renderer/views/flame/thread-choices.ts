import { hostIndexOf, hostNote } from '../../../src-main/shared/model/hosts.ts';
import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { eventColumns, remember } from '../../../src-main/timeline/model/event-source.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';

interface ThreadChoice {
  /** Index into threads. */
  readonly thread: number;
  readonly label: string;
}

/** The threads of one machine; its label is only set where there are several. */
export interface HostChoices {
  /** Index into hosts. */
  readonly host: number;
  readonly label?: string;
  readonly threads: readonly ThreadChoice[];
}

/** A list of more is no list to choose from. */
const MAX_CHOICES = 500;

/** The threads with events in a table by machine, in the trace's order. */
export function threadChoices(data: TraceData, table: TableName): readonly HostChoices[] {
  const columns = eventColumns(data.tables, table);
  const { thread } = columns ?? {};
  if (columns === undefined || thread === undefined) return [];
  return remember(columns, 'thread choices', () => {
    const { summary } = data;
    const names = traceNames(summary);
    const all = [...new Set(thread)]
      .filter((each) => each >= 0)
      .sort((a, b) => a - b)
      .slice(0, MAX_CHOICES)
      .map((each) => ({ thread: each, label: names.threadLabel(each) }));
    const byHost = Map.groupBy(all, (choice) => hostIndexOf(summary, choice.thread));
    return [...byHost]
      .sort(([a], [b]) => a - b)
      .map(([host, threads]) => {
        const label = hostNote(summary, { host });
        return { host, ...(label !== undefined && { label: cleanText(label) }), threads };
      });
  });
}
