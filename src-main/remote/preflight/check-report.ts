import { z } from 'zod';
import { captureModes } from '../../shared/capture-modes/modes.ts';
import { pastedLine } from '../../shared/remote/pasted-line.ts';
import { cleanText } from '../../shared/text/text.ts';

const text = (most: number) =>
  z
    .string()
    .max(4096)
    .transform((each) => cleanText(each, most));
const next = text(400)
  .nullish()
  .transform((each) => (each === '' ? null : (each ?? null)));

/** What the agent's `check --json` prints; docs/agent.md. */
export const checkReport = z.object({
  checks: z
    .array(
      z.object({
        id: z.string().regex(/^[a-z][a-z0-9_]{0,40}$/),
        label: text(60),
        status: z.enum(['ok', 'info', 'warn', 'fail']),
        detail: text(800),
        next,
      }),
    )
    .max(128),
  /** What a capture can be made from, as the agent tried and says it. */
  tiers: z
    .array(
      z.object({
        id: z.string().regex(/^[a-z][a-z0-9_]{0,40}$/),
        label: text(60),
        available: z.boolean(),
        detail: text(400),
        sees: z.array(text(200)).max(16),
        instead: text(200),
        brings: text(200),
        line: pastedLine.nullish(),
      }),
    )
    .max(16)
    .default([]),
  /** What each way to capture would see there. */
  modes: z
    .array(
      z.object({
        mode: z.string().max(40),
        sees: z.array(text(200)).max(64),
        cannot_see: z.array(z.object({ what: text(200), why: text(600).nullable() })).max(64),
      }),
    )
    .max(16)
    .default([]),
  /** What a capture shows by each source, in words. */
  sources: z
    .array(z.object({ name: z.string().max(80), sees: text(200) }))
    .max(64)
    .default([]),
  summary: z.object({
    /** `partial`: of a full capture there is a part. */
    mode: z.enum([...captureModes, 'partial']),
    captured: z.array(text(80)).max(64),
    missing: z.array(z.object({ what: text(80), why: text(600), next })).max(64),
  }),
});
export type CheckReport = z.infer<typeof checkReport>;
export type CheckItem = CheckReport['checks'][number];
