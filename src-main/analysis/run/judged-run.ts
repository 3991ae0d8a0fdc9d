import type { Trace } from '../../shared/model/trace.ts';
import { type Diagnosed, diagnose } from '../findings/diagnose.ts';
import { type Phases, phasesOf } from '../steps/phases.ts';
import { type ComparedSteps, comparedSteps } from './run-steps.ts';

type JudgedRank = Diagnosed['ranks'][number];

/** A rank with its steps, where it has some that can be compared. */
export interface JudgedRun {
  readonly rank: JudgedRank;
  /** Both are there, or neither. */
  readonly compared?: { readonly phases: Phases; readonly steps: ComparedSteps };
}

/** What of a trace is compared: one job. */
interface JudgedJob {
  readonly ranks: readonly JudgedRun[];
  /** How many the trace has. */
  readonly jobs: number;
}

/** The ranks of the first job with steps, else of the first, or of the job of the rank at `index`. `trace` must have its roles (withRoles). */
export function judgedJob(trace: Trace, index?: number): JudgedJob {
  const { ranks } = diagnose(trace);
  const asked = index === undefined ? undefined : ranks.at(index);
  const chosen = asked ?? ranks.find(({ facts }) => facts.steps.count > 0) ?? ranks.at(0);
  const ofJob = ranks.filter(({ facts }) => facts.job === chosen?.facts.job);
  const jobs = new Set(ranks.map(({ facts }) => facts.job)).size;
  return { ranks: judgedRanks(trace, ofJob), jobs };
}

function judgedRanks(trace: Trace, ranks: readonly JudgedRank[]): readonly JudgedRun[] {
  return ranks.map((rank) => {
    const phases = phasesOf(trace, rank.facts.rank);
    // Of a selection nobody knows what a step went to, nor of a server what a step is.
    const steps = phases && !rank.facts.steps.isSelection ? comparedSteps(phases) : undefined;
    return { rank, ...(steps && { compared: { phases, steps } }) };
  });
}

/**
 * Whose steps are compared with those of another run: the rank at `index` of the trace, where one is asked for, else the one
 * whose steps are longest, since the others wait for it; undefined where there is none.
 */
export function judgedRun(
  { ranks }: Pick<JudgedJob, 'ranks'>,
  index?: number,
): JudgedRun | undefined {
  const asked = ranks.find(({ rank }) => rank.facts.index === index);
  if (asked !== undefined) return asked;
  const withSteps = ranks.filter(({ compared }) => compared !== undefined);
  const longest = withSteps.toSorted((a, b) => meanStep(b) - meanStep(a)).at(0);
  return longest ?? ranks.find(({ rank }) => rank.facts.steps.count > 0) ?? ranks.at(0);
}

function meanStep({ compared }: JudgedRun): number {
  if (compared === undefined) return 0;
  const { startsNs, endsNs } = compared.steps;
  return startsNs.reduce((sum, ns, step) => sum + endsNs[step] - ns, 0) / startsNs.length;
}
