import { z } from 'zod';
import { captureModes } from '../../shared/capture-modes/modes.ts';
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
  summary: z.object({
    /** `partial`: of a full capture there is a part. */
    mode: z.enum([...captureModes, 'partial']),
    captured: z.array(text(80)).max(64),
    missing: z.array(z.object({ what: text(80), why: text(600), next })).max(64),
  }),
});
export type CheckReport = z.infer<typeof checkReport>;
export type CheckItem = CheckReport['checks'][number];
