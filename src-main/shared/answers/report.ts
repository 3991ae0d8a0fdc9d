import { z } from 'zod';
import { traceMlSummary } from '../library/traceml-summary.ts';
import { savedView } from '../library/view.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { CallExplanation } from './explanation.ts';
import type { OperationStats } from './operations.ts';
import type { TimeSpan } from './summary.ts';

/** GitHub refuses a longer body of an issue or a comment ("body is too long, maximum is 65536"). */
export const GITHUB_LIMIT = 65_536;

/** What goes into a report. */
export const reportRequest = z.strictObject({
  traceId: z.uuid(),
  /** The entry of the library, for its name and notes. */
  investigation: z.number().int().positive().optional(),
  /** The row of cuda_call the report is about; absent = the slowest copy, else the slowest call. */
  call: z.number().int().nonnegative().optional(),
  range: z.strictObject({ startNs: z.number(), endNs: z.number() }).optional(),
  /** Whether to leave out host, user, paths and arguments. */
  hidePrivate: z.boolean(),
  /** All tables, findings and questions; absent = the answer alone. */
  long: z.boolean().optional(),
  /** Whether the user's notes are part of it. */
  notes: z.boolean(),
  /** TraceML's summary, where it stands beside the trace. */
  traceml: traceMlSummary.optional(),
});
export type ReportRequest = z.infer<typeof reportRequest>;

/** A picture of the timeline as `view` shows it. */
export const pictureRequest = z.strictObject({
  traceId: z.uuid(),
  investigation: z.number().int().positive().optional(),
  view: savedView,
  /** CSS px. */
  widthPx: z.number().int().min(320).max(8_000),
  theme: z.enum(['light', 'dark']),
  hidePrivate: z.boolean(),
});
export type PictureRequest = z.infer<typeof pictureRequest>;

/** What the process of the trace is told to draw: the library's part is looked up before. */
export const pictureOptions = pictureRequest.omit({ traceId: true, investigation: true }).extend({
  /** Of the investigation. */
  name: z.string().max(1_000),
  /** The user's notes and bookmarks as flags. */
  notes: z
    .array(z.strictObject({ startNs: z.number(), endNs: z.number(), text: z.string().max(1_000) }))
    .max(5_000),
});
export type PictureOptions = z.infer<typeof pictureOptions>;
export type PictureFlag = PictureOptions['notes'][number];

/** What a chart of a moment draws. `call`: the one the report is about. */
export type MomentBarKind = 'call' | 'other-call' | 'gpu' | 'running' | 'off-cpu';

export interface MomentBar {
  readonly kind: MomentBarKind;
  /** The event's name, or the thread's state. */
  readonly name: string;
  readonly startNs: number;
  readonly durationNs: number;
}

export interface MomentLane {
  readonly title: string;
  /** The longest of the lane, in order of start. */
  readonly bars: readonly MomentBar[];
  /** How many more there are, each shorter than those. */
  readonly more: number;
}

/** What happened around a call or in a range, few enough bars for a chart in an issue. */
export interface Moment {
  readonly startNs: number;
  readonly endNs: number;
  readonly lanes: readonly MomentLane[];
  /** Titles of lanes of which the trace has nothing in this time. */
  readonly empty: readonly string[];
  /** DataLoader workers beyond those that have a lane or are named as empty. */
  readonly workersLeftOut: number;
}

/** What the recorder lost. */
export interface RecordingLosses {
  readonly gaps: number;
  /** Sum over the gaps whose loss was counted. */
  readonly lostEvents: number;
  /** Gaps whose loss is not known. */
  readonly uncounted: number;
  readonly longest?: TimeSpan;
}

/** All that a report says of a trace besides its summary. */
export interface ReportFacts {
  /** Absent where the trace has no CUDA calls. */
  readonly explanation?: CallExplanation;
  /** What slows the whole trace. */
  readonly diagnosis?: Diagnosis;
  /** Of the whole trace, by size bucket. */
  readonly operations: readonly OperationStats[];
  readonly moment?: Moment;
  readonly range?: {
    readonly startNs: number;
    readonly endNs: number;
    /** Of the events that start in the range. */
    readonly operations: readonly OperationStats[];
  };
  readonly losses: RecordingLosses;
}
