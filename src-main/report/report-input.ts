import type { ReportFacts } from '../shared/answers/report.ts';
import type { TraceSummary } from '../shared/answers/summary.ts';
import type { Note } from '../shared/library/note.ts';
import type { TraceMlSummary } from '../shared/library/traceml-summary.ts';

/** What a report is made of. */
export interface ReportInput {
  /** What the user calls the trace. */
  readonly name: string;
  readonly summary: Pick<
    TraceSummary,
    | 'format'
    | 'version'
    | 'recorder'
    | 'beginUnixNs'
    | 'lengthNs'
    | 'synthetic'
    | 'simulated'
    | 'hosts'
    | 'clocks'
    | 'gpus'
    | 'tables'
    | 'hasSummedCalls'
    | 'gpuBusy'
    | 'gpuWorked'
    | 'sourceFindings'
    | 'notices'
  >;
  readonly facts: ReportFacts;
  /** Whether it was asked for a call; else the slowest one is an example of the trace. */
  readonly isAboutCall: boolean;
  /** In order of start; absent where they were not asked for. */
  readonly notes?: readonly Note[];
  /** TraceML's summary, where it stands beside the trace. */
  readonly traceml?: TraceMlSummary;
  /** All tables, findings and questions instead of the answer alone. */
  readonly long: boolean;
  /** Of Stalltrace. */
  readonly version: string;
  /** Whether host, users, paths and arguments were taken out. */
  readonly hidden: boolean;
}

/** A part of a report, its heading included; whole or not at all. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

/** A section of paragraphs, tables and lists; none where there is nothing to say. */
export function section(title: string, blocks: readonly (string | undefined)[]): Section[] {
  const said = blocks.filter((block) => block !== undefined && block !== '');
  return said.length === 0 ? [] : [{ title, text: [`### ${title}`, ...said].join('\n\n') }];
}
