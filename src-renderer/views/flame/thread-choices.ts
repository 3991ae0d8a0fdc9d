import { hostIndexOf, hostNote } from '../../../src-main/shared/model/hosts.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { remember } from '../../../src-main/timeline/model/remember.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
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

/** `threads` by machine, in the trace's order. */
export function threadChoices(
  { summary }: TraceView,
  threads: readonly number[],
): readonly HostChoices[] {
  const names = remember(summary, 'names', () => traceNames(summary));
  const all = threads
    .toSorted((a, b) => a - b)
    .slice(0, MAX_CHOICES)
    .map((thread) => ({ thread, label: names.threadLabel(thread) }));
  const byHost = Map.groupBy(all, ({ thread }) => hostIndexOf(summary, thread));
  return [...byHost]
    .sort(([a], [b]) => a - b)
    .map(([host, choices]) => {
      const label = hostNote(summary, { host });
      return { host, ...(label !== undefined && { label: cleanText(label) }), threads: choices };
    });
}
