import { z } from 'zod';
import type { Diagnosis, Finding } from './diagnosis.ts';
import type { TraceSummary } from './summary.ts';

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
  ranks: count,
  gpus: z.array(word).max(1024),
  cpuCount: count.optional(),
  /** Unix time in ns, decimal. */
  beginUnixNs: z.string().regex(/^-?\d{1,40}$/),
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

type Told = Pick<TraceSummary, 'gpus' | 'hosts' | 'beginUnixNs'>;

/** What a second trace is asked about `finding` of `diagnosis`. */
export function earlierFindingOf(
  { ranks, chains }: Diagnosis,
  finding: Finding,
  told: Told,
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
    ranks: ranks.length,
    ...machineOf(told),
  };
}

/** The machine of a trace, and its time, as far as two of them are compared. */
export function machineOf({
  gpus,
  hosts,
  beginUnixNs,
}: Told): Pick<EarlierFinding, 'gpus' | 'cpuCount' | 'beginUnixNs'> {
  const cpus = hosts.map(({ cpuCount }) => cpuCount ?? 0);
  const cpuCount = cpus.reduce((sum, each) => sum + each, 0);
  return {
    gpus: gpus
      .map(({ model }) => model.slice(0, 500))
      .sort()
      .slice(0, 1024),
    ...(cpus.length > 0 && !cpus.includes(0) && { cpuCount }),
    beginUnixNs,
  };
}
