import { z } from 'zod';
import { savedView } from './view.ts';

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
  /** Whether the user's notes are part of it. */
  notes: z.boolean(),
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
