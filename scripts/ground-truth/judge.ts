import type { Said, SaidFinding } from './said.ts';
import { type Cause, type Truth, trueShare } from './truth.ts';

/** Holds what was said of a recording against what the job says of itself; test/ground-truth/README.md defines the words. */

export type Grade = 'right' | 'vague' | 'wrong' | 'silent';

/** A promise that was not kept: `input takes at least 86.0 %, in truth 3.0 %`. */
type Violation = string;

export interface Judgement {
  readonly grade: Grade;
  /** The first finding of any of the causes, if there is one. */
  readonly hit?: SaidFinding;
  /** Whether each cause's finding names its culprit; undefined where no cause was found. */
  readonly culprit?: boolean;
  /** Ids of findings of high or medium severity that are not true. */
  readonly falseAlarms: readonly string[];
  readonly violations: readonly Violation[];
}

/** The job times from batch to batch, the trace from copy to copy: shares may differ by so much. */
const SHARE_TOLERANCE = 0.02;
/** Two runs of one job differ by so much of their time though nothing was changed. */
const RUN_TOLERANCE = 0.03;
/** Who can win so much is not told of it with low severity. */
const LARGE_SHARE = 0.2;
/** What blames the loop: wrong where nothing is to blame. */
const BLAMES = ['input-bound', 'input-straggler', 'h2d-bound', 'host-bound'];

/** What was measured around the job. */
interface Circumstances {
  /** s by which the same job is shorter without its cause; undefined where that was not run. */
  readonly wonSeconds?: number | undefined;
  /** Of all CPU time meanwhile, what went to neither job nor recorder. */
  readonly othersShare?: number;
}

/** Where others take so much of the CPUs, that is true of the job as well. */
const DISTURBED_SHARE = 0.2;
const OF_OTHERS = ['noisy-neighbour', 'cpu-wait'];

export function judge(job: Truth, said: Said, around: Circumstances = {}): Judgement {
  const { wonSeconds, othersShare = 0 } = around;
  const named = withOtherNames(job, said);
  const truth = othersShare < DISTURBED_SHARE ? named : alsoDisturbed(named);
  const hits = truth.causes.map((cause) => findingOf(cause, said));
  const hit = hits.find((found) => found !== undefined);
  const falseAlarms = said.findings
    .filter((finding) => isLoud(finding) && !isTrue(truth, finding))
    .map(({ id }) => id);
  return {
    grade:
      truth.causes.length === 0
        ? healthyGrade(truth, said, falseAlarms)
        : grade(truth, said, wonSeconds),
    ...(hit !== undefined && { hit, culprit: truth.causes.every((cause) => isNamed(cause, said)) }),
    falseAlarms,
    violations: [...inputViolations(truth, said), ...gainViolations(truth, said, hit, wonSeconds)],
  };
}

const alsoDisturbed = (truth: Truth): Truth => ({
  ...truth,
  also_right: [...truth.also_right, ...OF_OTHERS],
});

/** What the loop works out itself on the CPU: a metric to one engineer is part of an evaluation, or other work, to the next. */
const OWN_WORK = ['host-work', 'more-host-work', 'host-metrics', 'evaluation'];
/** Two of these names mean one answer where their times differ by no more of the loop’s. */
const SAME_WORK_TOLERANCE = 0.05;

/** `truth` with the other names of its causes that `said` gives to the same function with the same time. */
function withOtherNames(truth: Truth, { findings }: Said): Truth {
  const causes = truth.causes.map((cause) => {
    const isSame = (finding: SaidFinding) =>
      OWN_WORK.includes(finding.id) &&
      names(cause, finding) &&
      Math.abs(finding.share - (trueShare(truth, cause) ?? 0)) <= SAME_WORK_TOLERANCE;
    if (!cause.ids.some((id) => OWN_WORK.includes(id))) return cause;
    return { ...cause, ids: [...cause.ids, ...findings.filter(isSame).map(({ id }) => id)] };
  });
  return { ...truth, causes };
}

const isLoud = ({ severity }: SaidFinding) => severity === 'high' || severity === 'medium';

function isTrue(truth: Truth, finding: SaidFinding): boolean {
  return isBesides(truth, finding) || truth.causes.some((cause) => isOf(cause, finding));
}

/** A second function of the loop's own work has an id of its own, and is told for the same reason. */
const SECONDS: Readonly<Record<string, string>> = { 'more-host-work': 'host-work' };

function isOf({ ids }: Cause, { id }: SaidFinding): boolean {
  return ids.includes(id) || ids.includes(SECONDS[id] ?? id);
}

function names({ culprit }: Cause, { text }: SaidFinding): boolean {
  return culprit.some((name) => text.includes(name));
}

/** Whether it is true of the job, and not what it is made for. */
function isBesides({ also_right, other_shares }: Truth, { id, share }: SaidFinding): boolean {
  // The jobs copy pageable memory, and time that: it may take as long as they say.
  const isTimed = id === 'pin-memory' && share <= (other_shares.copying ?? 0) + SHARE_TOLERANCE;
  return isTimed || also_right.includes(id);
}

function findingOf(cause: Cause, { findings }: Said): SaidFinding | undefined {
  return findings.find((finding) => isOf(cause, finding));
}

function isNamed(cause: Cause, { findings }: Said): boolean {
  return findings.some((finding) => isOf(cause, finding) && names(cause, finding));
}

function healthyGrade(truth: Truth, said: Said, falseAlarms: readonly string[]): Grade {
  if (falseAlarms.length > 0) return 'wrong';
  if (truth.verdicts.includes(said.verdict)) return 'right';
  return BLAMES.includes(said.verdict) ? 'wrong' : 'vague';
}

function grade(truth: Truth, said: Said, won = 0): Grade {
  const { causes } = truth;
  // What costs nothing is told for other reasons than the time.
  const costly = said.findings.filter(({ severity }) => severity !== 'info');
  // What is also right without a name may be the cause with it.
  const isMeant = (finding: SaidFinding) =>
    !isBesides(truth, finding) ||
    causes.some((cause) => isOf(cause, finding) && names(cause, finding));
  const first = costly.filter(isMeant).slice(0, causes.length);
  const isFirst = (cause: Cause) => first.some((finding) => isOf(cause, finding));
  const isPlayedDown =
    causes.length === 1 && won >= LARGE_SHARE * truth.seconds && first[0]?.severity === 'low';
  const isTold = causes.every((cause) => isFirst(cause) && isNamed(cause, said));
  if (isTold && !isPlayedDown) return 'right';
  const isSomeTrue = said.findings.some((finding) => isTrue(truth, finding));
  if (isSomeTrue || truth.verdicts.includes(said.verdict)) return 'vague';
  return first.some(isLoud) ? 'wrong' : 'silent';
}

/** The judged time may leave out some of the job's, and what of that was input is not known. */
function inputViolations({ input_share, seconds }: Truth, { input, window }: Said): Violation[] {
  if (window === 0) return [];
  const truly = input_share * seconds;
  const outside = Math.max(0, seconds - window);
  const slack = SHARE_TOLERANCE * seconds;
  const share = (part: number) => percent(part / window);
  const found: Violation[] = [];
  if (input.atLeast * window > truly + slack)
    found.push(`input takes at least ${percent(input.atLeast)}, in truth ${share(truly)}`);
  if (input.atMost * window < truly - outside - slack)
    found.push(
      `input takes at most ${percent(input.atMost)}, in truth at least ${share(truly - outside)}`,
    );
  return found;
}

/** Only where there is one cause: the other form of the job is without all of them. */
function gainViolations(
  { causes, seconds }: Truth,
  { window }: Said,
  hit: SaidFinding | undefined,
  won: number | undefined,
): Violation[] {
  if (won === undefined || hit?.gainUpTo === undefined || causes.length !== 1) return [];
  // What is promised of the judged time holds of all that is like it.
  const upTo = hit.gainUpTo * Math.max(1, seconds / window);
  if (won <= upTo + RUN_TOLERANCE * seconds) return [];
  return [`${hit.id} wins back at most ${upTo.toFixed(2)} s, in truth ${won.toFixed(2)} s`];
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** A fixed form has its cause no more, or less of it: no more may be told of it than the job's own stopwatch says. */
export function judgeFixed(truth: Truth, said: Said): Judgement {
  const falseAlarms = said.findings
    .filter((finding) => isLoud(finding) && truth.causes.some((cause) => isOf(cause, finding)))
    .filter((finding) => !isLeft(truth, finding))
    .map(({ id }) => id);
  const violations = inputViolations(truth, said);
  return { grade: falseAlarms.length > 0 ? 'wrong' : 'right', falseAlarms, violations };
}

function isLeft(truth: Truth, finding: SaidFinding): boolean {
  const { gradients = 0 } = truth.other_shares;
  return truth.causes
    .filter((cause) => isOf(cause, finding))
    .some((cause) => {
      // Ranks exchange gradients in all their forms, and time that.
      const exchanging = finding.id === 'collective' && cause.part !== 'gradients' ? gradients : 0;
      return finding.share <= (trueShare(truth, cause) ?? 0) + exchanging + SHARE_TOLERANCE;
    });
}
