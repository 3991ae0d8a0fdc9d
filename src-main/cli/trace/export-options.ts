import type { CallName } from './find-call.ts';

/** What to write of a trace, and about what of it. */
export interface ExportOptions extends CallName {
  /** Absolute, as is each output unless it is `-` for stdout. */
  readonly file: string;
  readonly markdown?: string;
  readonly svg?: string;
  readonly stalltrace?: string;
  readonly perfetto?: string;
  readonly force: boolean;
  readonly fromNs?: number;
  readonly toNs?: number;
  readonly notes: boolean;
  /** The report's long form. */
  readonly long: boolean;
  readonly showPrivate: boolean;
  readonly theme: 'light' | 'dark';
  readonly widthPx: number;
}
