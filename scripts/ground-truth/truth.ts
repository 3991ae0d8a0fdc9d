import { z } from 'zod';

/** What a job of test/ground-truth/jobs says of itself; its README explains each field. */

const causeSchema = z.strictObject({
  ids: z.array(z.string()).min(1),
  culprit: z.array(z.string()).min(1),
  part: z.string(),
});

const truthSchema = z.strictObject({
  causes: z.array(causeSchema),
  also_right: z.array(z.string()),
  verdicts: z.array(z.string()),
  pid: z.int(),
  seconds: z.number().positive(),
  input_share: z.number(),
  other_shares: z.record(z.string(), z.number()),
  steps: z.int(),
  step_seconds: z.array(z.number()),
});

/** One of the things that slow a job. */
export type Cause = z.infer<typeof causeSchema>;
export type Truth = z.infer<typeof truthSchema>;

export function parseTruth(text: string): Truth {
  return truthSchema.parse(JSON.parse(text));
}

/** Share of the loop's time that the job measured for `cause`; undefined where it has no stopwatch for it. */
export function trueShare({ input_share, other_shares }: Truth, cause: Cause): number | undefined {
  return cause.part === 'input' ? input_share : other_shares[cause.part];
}
