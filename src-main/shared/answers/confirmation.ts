import { z } from 'zod';
import type { Diagnosis, Finding } from './diagnosis.ts';
import { runEnvironment } from './run-environment.ts';
import { MAX_GROUPS, type RunSummary } from './run-summary.ts';

/** Whether a finding of one trace is still there in a second one, recorded after the change that its fix asks for. */

const count = z.number().int().nonnegative();
const durationNs = z.number().nonnegative();
const word = z.string().max(500);

/** A finding, and what the second trace has to be compared with. */
export const earlierFinding = z.strictObject({
  id: word,
  title: word,
  culprit: word.optional(),
  costNs: durationNs,
  /** What is judged of its rank. */
  windowNs: durationNs,
  /** How often it happened, where that is known. */
  times: count.optional(),
  /** Its place in the list of ranks, and `RANK` where that is known. */
  rankIndex: count,
  rank: z.number().int().optional(),
  /** Absent where no steps were found. */
  steps: z.strictObject({ count, meanNs: durationNs }).optional(),
  inputKnown: z.boolean(),
  /** Of its rank, as `RunSummary` has it. */
  run: z.strictObject({
    /** Unix time in ns, decimal. */
    beginUnixNs: z.string().regex(/^-?\d{1,40}$/),
    environment: runEnvironment,
    steps: z
      .strictObject({
        basis: z.enum(['annotation', 'signature']),
        durationsNs: z.array(durationNs).max(MAX_GROUPS).readonly(),
      })
      .optional(),
    stepsNote: z.string().max(2_000),
  }),
});
export type EarlierFinding = z.infer<typeof earlierFinding>;

export type ConfirmOutcome = 'gone' | 'still-there' | 'cannot-tell';

/** A figure of both traces, as it is read. */
interface BeforeAndAfter {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

export interface Confirmation {
  readonly outcome: ConfirmOutcome;
  /** One or two sentences, with figures or the reason. */
  readonly sentence: string;
  readonly figures: readonly BeforeAndAfter[];
  /** What else differs between the two runs: sentences. */
  readonly differs: readonly string[];
}

/** What a second trace is asked about `finding` of `diagnosis`; `run` is of the finding's rank. */
export function earlierFindingOf(
  { ranks, chains }: Diagnosis,
  finding: Finding,
  run: Pick<RunSummary, keyof EarlierFinding['run']>,
): EarlierFinding {
  const { id, title, culprit, costNs } = finding;
  const judged = ranks[finding.rank];
  const { window, typical, count: steps } = judged.steps;
  const chain = chains.find((each) => each.finding === id && each.rank === finding.rank);
  return {
    id,
    title: title.slice(0, 500),
    ...(culprit !== undefined && { culprit: culprit.slice(0, 500) }),
    costNs,
    windowNs: window[1] - window[0],
    ...(chain !== undefined && { times: chain.occurrenceCount }),
    rankIndex: finding.rank,
    ...(judged.rank.rank !== undefined && { rank: judged.rank.rank }),
    ...(typical !== undefined && { steps: { count: steps, meanNs: typical.meanNs } }),
    inputKnown: judged.inputKnown,
    run: {
      ...{ beginUnixNs: run.beginUnixNs, environment: run.environment },
      ...(run.steps && {
        steps: { basis: run.steps.basis, durationsNs: run.steps.durationsNs },
      }),
      stepsNote: run.stepsNote.slice(0, 2_000),
    },
  };
}
