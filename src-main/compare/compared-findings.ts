import type { ComparedFinding, RunComparison } from '../shared/answers/comparison.ts';
import { WORTH_TELLING_SHARE } from '../shared/answers/diagnosis.ts';
import type { RunFinding, RunSummary } from '../shared/answers/run-summary.ts';
import { whyUnseen } from '../shared/answers/unseen.ts';
import { mean } from '../shared/numbers/block-bootstrap.ts';
import { formatDuration, formatShare } from '../shared/text/units.ts';
import { type Circumstances, creditOf, type Lessened } from './credit.ts';

/** A finding whose cost a step changed by less is the same. Our own choice. */
const CHANGED_SHARE = 0.25;

const key = ({ id, culprit = '' }: RunFinding) => `${id} ${culprit}`;

/** What became of the findings of `first`, and which `second` has besides; of runs that can't be compared, which has which. */
export function comparedFindings(
  first: RunSummary,
  second: RunSummary,
  { verdict, step, differences }: Pick<RunComparison, 'verdict' | 'step' | 'differences'>,
): ComparedFinding[] {
  const ofSecond = new Map(second.findings.map((each) => [key(each), each]));
  if (verdict === 'not-comparable') return sideBySide(first, second, ofSecond);
  const circumstances = step && { step, differences, lessened: lessenedOf(first, ofSecond) };
  const ofFirst = new Set(first.findings.map(key));
  const told = first.findings.map((was): ComparedFinding => {
    const is = ofSecond.get(key(was));
    if (is !== undefined) return keptFinding(was, is, verdict === 'improved' ? step : undefined);
    const unseen = whyNotIn(second, was, first);
    return unseen === undefined
      ? goneFinding(was, verdict, circumstances)
      : {
          ...{ ...named(was), became: 'maybe-gone', ...costs(was, undefined) },
          note: `The second run may have it all the same. ${unseen}`,
        };
  });
  const added = second.findings
    .filter((is) => !ofFirst.has(key(is)))
    .map((is): ComparedFinding => {
      const unseen = whyNotIn(first, is, second);
      return {
        ...{ ...named(is), became: unseen === undefined ? 'new' : 'maybe-new' },
        ...costs(undefined, is),
        ...(unseen !== undefined && { note: `The first run may have it, too. ${unseen}` }),
      };
    });
  return [...told, ...added];
}

/** A finding that costs a step less than this share of what it costs in the other run has changed by a fix. Our own choice. */
const FAR_SMALLER = 0.5;

/** Ids of findings that one run has and the other has not, or at a far smaller cost. */
export function changedFindings(first: RunSummary, second: RunSummary): ReadonlySet<string> {
  const ids = new Set([...first.findings, ...second.findings].map(({ id }) => id));
  const costIn = ({ findings }: RunSummary, id: string) =>
    findings
      .filter((finding) => finding.id === id)
      .reduce((sum, { costPerStepNs = 0 }) => sum + costPerStepNs, 0);
  const isChanged = (id: string) => {
    const costs = [costIn(first, id), costIn(second, id)];
    return Math.min(...costs) < FAR_SMALLER * Math.max(...costs);
  };
  return new Set([...ids].filter(isChanged));
}

/** Of different jobs a finding that one has alone is neither gone nor new. */
function sideBySide(
  first: RunSummary,
  second: RunSummary,
  ofSecond: ReadonlyMap<string, RunFinding>,
): ComparedFinding[] {
  const ofFirst = new Set(first.findings.map(key));
  return [
    ...first.findings.map((one): ComparedFinding => {
      const other = ofSecond.get(key(one));
      const became = other === undefined ? 'in-first' : 'in-both';
      return { ...named(one), became, ...costs(one, other) };
    }),
    ...second.findings
      .filter((other) => !ofFirst.has(key(other)))
      .map(
        (other): ComparedFinding => ({
          ...{ ...named(other), became: 'in-second' },
          ...costs(undefined, other),
        }),
      ),
  ];
}

/** Why `run` may have a finding of `other` that is not found in it. */
function whyNotIn(run: RunSummary, finding: RunFinding, other: RunSummary) {
  const { unseen, findings } = run;
  // With another culprit it is seen.
  if (findings.some(({ id }) => id === finding.id)) return undefined;
  const tooSmall = whyTooSmall(run, finding);
  if (tooSmall !== undefined) return tooSmall;
  const { id, times } = finding;
  const { windowNs, input } = other.unseen;
  return whyUnseen(unseen, { id, times, windowNs, inputKnown: input === undefined });
}

/** What costs a step as much as before is not told of a step that is long enough. */
function whyTooSmall({ steps }: RunSummary, { costPerStepNs }: RunFinding): string | undefined {
  if (steps === undefined || costPerStepNs === undefined) return undefined;
  const stepNs = mean(steps.durationsNs);
  if (costPerStepNs >= WORTH_TELLING_SHARE * stepNs) return undefined;
  return `There it would be ${formatShare(costPerStepNs, stepNs)} of a step: less than ${formatShare(WORTH_TELLING_SHARE, 1)} is not told.`;
}

const named = ({ id, title, ranks }: RunFinding) => ({ id, title, ...(ranks && { ranks }) });

function changeOf(was: RunFinding, is: RunFinding): 'same' | 'changed' {
  const [before, after] = [was.costPerStepNs ?? 0, is.costPerStepNs ?? 0];
  return Math.abs(after - before) <= CHANGED_SHARE * before ? 'same' : 'changed';
}

/** One that both have. Where steps are shorter by as much of its cost as went, that is said. */
function keptFinding(
  was: RunFinding,
  is: RunFinding,
  shorter: RunComparison['step'],
): ComparedFinding {
  const became = changeOf(was, is);
  const lessNs = (was.costPerStepNs ?? 0) - (is.costPerStepNs ?? 0);
  const isLess = became === 'changed' && lessNs > 0 && shorter !== undefined;
  return {
    ...{ ...named(was), became, ...costs(was, is) },
    ...(isLess && {
      note: `It costs ${formatDuration(lessNs)} less; a step is shorter by ${formatDuration(shorter.firstNs - shorter.secondNs)}.`,
    }),
  };
}

function costs(was: RunFinding | undefined, is: RunFinding | undefined) {
  return {
    ...(was?.costPerStepNs !== undefined && { firstNs: was.costPerStepNs }),
    ...(is?.costPerStepNs !== undefined && { secondNs: is.costPerStepNs }),
  };
}

/** By how much each finding of the first run costs less in the second, where that may be the reason for shorter steps. */
function lessenedOf(first: RunSummary, ofSecond: ReadonlyMap<string, RunFinding>): Lessened[] {
  return first.findings.map((was) => {
    const after = ofSecond.get(key(was))?.costPerStepNs ?? 0;
    return { ...named(was), ns: (was.costPerStepNs ?? 0) - after };
  });
}

function goneFinding(
  was: RunFinding,
  verdict: RunComparison['verdict'],
  circumstances: Circumstances | undefined,
): ComparedFinding {
  const gone = { ...named(was), became: 'gone', ...costs(was, undefined) } as const;
  if (verdict === 'improved' && circumstances !== undefined)
    return { ...gone, ...creditOf(was, circumstances) };
  const note =
    verdict === 'cannot-tell'
      ? 'Whether that changed anything is not known.'
      : 'Steps are not measurably shorter: this did not slow them, or another cause took its place.';
  return { ...gone, credited: false, note };
}
