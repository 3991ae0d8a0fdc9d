import { z } from 'zod';
import { fail, ok, type Result } from '../rpc/result.ts';
import { cleanText } from '../text/text.ts';

/**
 * TraceML's `final_summary.json` (github.com/traceopt-ai/traceml, schema 1.7): its diagnosis and averages of the
 * steps, measured inside the training process. It has no events, so it goes beside a trace.
 */

/** TraceML writes some 20 KB a rank. */
export const MAX_TRACEML_LENGTH = 4_000_000;

/** Whoever made the file may have written anything: it is read by people. */
const text = (maxLength: number) =>
  z
    .string()
    .max(100_000)
    .transform((written) => cleanText(written, maxLength));
const known = z.number().nonnegative().max(1e12);
const figure = known.nullish();

/** Of a mean step over all ranks, ms; absent = not measured. */
const traceMlStep = z.strictObject({
  durationMs: known.optional(),
  inputMs: known.optional(),
  h2dMs: known.optional(),
  computeMs: known.optional(),
  residualMs: known.optional(),
});

export const traceMlSummary = z.strictObject({
  /** `INPUT_BOUND`; TraceML has more kinds in each version. */
  kind: text(100),
  /** `INPUT-BOUND`, as TraceML shows it. */
  status: text(100),
  /** One sentence. */
  summary: text(1_000),
  /** What TraceML would do, one sentence. */
  action: text(1_000).optional(),
  /** Whose clock its times are by: `cpu`, `gpu`. */
  clock: text(20).optional(),
  ranks: known.optional(),
  steps: known.optional(),
  step: traceMlStep,
  /** Unix time at which it was written, which is when the run ended, ms. */
  writtenUnixMs: z.number().optional(),
  /** ms before that. */
  lengthMs: z.number().nonnegative().optional(),
});
export type TraceMlSummary = Readonly<z.infer<typeof traceMlSummary>>;

/** A summary that was opened, and where it came from; as it is kept with an investigation. */
export const traceMlFile = z.strictObject({ fileName: text(255), summary: traceMlSummary });
export type TraceMlFile = Readonly<z.infer<typeof traceMlFile>>;
const stepFigures = z
  .object({
    step_time_ms: figure,
    input_wait_ms: figure,
    h2d_ms: figure,
    compute_ms: figure,
    residual_ms: figure,
  })
  .partial();

/** Only what is used: what TraceML adds is no fault, and its texts, hosts and settings are not kept. */
const finalSummary = z.object({
  schema_version: z.union([z.number(), z.string().max(20)]),
  generated_at: z.string().max(100).nullish(),
  duration_s: figure,
  meta: z.object({ world_size: z.number().int().positive().max(1e6).nullish() }).nullish(),
  primary_diagnosis: z.object({
    kind: text(100),
    status: text(100),
    summary: text(1_000),
    action: text(1_000).nullish(),
    evidence: stepFigures
      .extend({
        steps_analyzed: z.number().int().nonnegative().max(1e12).nullish(),
        diagnosis_clock: text(20).nullish(),
      })
      .nullish(),
  }),
  step_time: z.object({ global: z.object({ average: stepFigures.nullish() }).nullish() }).nullish(),
});

/** Whether a text says of itself that it is a summary, well made or not: of a large file its begin is enough. */
export function claimsTraceMl(text: string): boolean {
  return (
    /^\s*\{/.test(text) &&
    /"schema_version"\s*:/.test(text) &&
    /"primary_diagnosis"\s*:/.test(text) &&
    !/"traceEvents"\s*:/.test(text)
  );
}

/** Reads a summary that somebody gave us; the text may be anything. */
export function parseTraceMlSummary(
  text: string,
  fileName: string,
): Result<TraceMlSummary, 'beside-damaged'> {
  const notOne = (why: string) =>
    fail(
      'beside-damaged',
      `“${fileName}” is not a whole summary by TraceML: ${why}. Choose the final_summary.json of a run that has ended.`,
    );
  if (text.length > MAX_TRACEML_LENGTH) return notOne('it is too large for one');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notOne('it is not JSON');
  }
  const parsed = finalSummary.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const why = `“${issue?.path.join('.') ?? ''}” is wrong (${issue?.message ?? ''})`;
    return notOne(why.slice(0, 300));
  }
  return ok(summaryOf(parsed.data));
}

function summaryOf(parsed: z.infer<typeof finalSummary>): TraceMlSummary {
  const { primary_diagnosis: primary, step_time: stepTime, meta } = parsed;
  const evidence = primary.evidence ?? {};
  const average = stepTime?.global?.average ?? {};
  const of = (key: keyof z.infer<typeof stepFigures>) => evidence[key] ?? average[key] ?? undefined;
  const written = Date.parse(parsed.generated_at ?? '');
  const found = {
    action: primary.action ?? undefined,
    clock: evidence.diagnosis_clock ?? undefined,
    ranks: meta?.world_size ?? undefined,
    steps: evidence.steps_analyzed ?? undefined,
    writtenUnixMs: Number.isFinite(written) ? written : undefined,
    lengthMs: parsed.duration_s == null ? undefined : parsed.duration_s * 1e3,
  };
  const { kind, status, summary } = primary;
  return {
    ...{ kind, status, summary },
    ...withoutGaps(found),
    step: withoutGaps({
      durationMs: of('step_time_ms'),
      inputMs: of('input_wait_ms'),
      h2dMs: of('h2d_ms'),
      computeMs: of('compute_ms'),
      residualMs: of('residual_ms'),
    }),
  };
}

type WithoutGaps<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutGaps<T extends object>(value: T): WithoutGaps<T> {
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(known) as WithoutGaps<T>;
}
