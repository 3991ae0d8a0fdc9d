import type {
  ComparedFinding,
  RunComparison,
  RunDifference,
} from '../shared/answers/comparison.ts';
import type { RunFinding, RunSummary } from '../shared/answers/run-summary.ts';
import { whyUnseen } from '../shared/answers/unseen.ts';

/** A finding whose cost a step changed by less is the same. Our own choice. */
const CHANGED_SHARE = 0.25;

const key = ({ id, culprit = '' }: RunFinding) => `${id} ${culprit}`;

/** What became of the findings of `first`, and which `second` has besides. */
export function comparedFindings(
  first: RunSummary,
  second: RunSummary,
  verdict: RunComparison['verdict'],
  differences: readonly RunDifference[],
): ComparedFinding[] {
  const ofSecond = new Map(second.findings.map((each) => [key(each), each]));
  const ofFirst = new Set(first.findings.map(key));
  const told = first.findings.map((was): ComparedFinding => {
    const is = ofSecond.get(key(was));
    if (is !== undefined) return { ...named(was), became: changeOf(was, is), ...costs(was, is) };
    const unseen = whyNotIn(second, was, first);
    return unseen === undefined
      ? goneFinding(was, verdict, differences)
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

/** Why `run` may have a finding of `other` that is not found in it. */
function whyNotIn({ unseen, findings }: RunSummary, finding: RunFinding, other: RunSummary) {
  // With another culprit it is seen.
  if (findings.some(({ id }) => id === finding.id)) return undefined;
  const { id, times } = finding;
  const { windowNs, input } = other.unseen;
  return whyUnseen(unseen, { id, times, windowNs, inputKnown: input === undefined });
}

const named = ({ id, title }: RunFinding) => ({ id, title });

function changeOf(was: RunFinding, is: RunFinding): 'same' | 'changed' {
  const [before, after] = [was.costPerStepNs ?? 0, is.costPerStepNs ?? 0];
  return Math.abs(after - before) <= CHANGED_SHARE * before ? 'same' : 'changed';
}

function costs(was: RunFinding | undefined, is: RunFinding | undefined) {
  return {
    ...(was?.costPerStepNs !== undefined && { firstNs: was.costPerStepNs }),
    ...(is?.costPerStepNs !== undefined && { secondNs: is.costPerStepNs }),
  };
}

/** A finding that is gone is what made the step shorter only where nothing else may have. */
function goneFinding(
  was: RunFinding,
  verdict: RunComparison['verdict'],
  differences: readonly RunDifference[],
): ComparedFinding {
  const gone = { ...named(was), became: 'gone', ...costs(was, undefined) } as const;
  if (verdict !== 'improved') {
    const note =
      verdict === 'not-comparable' || verdict === 'cannot-tell'
        ? 'Whether that changed anything is not known.'
        : 'Steps are not measurably shorter: this did not slow them, or another cause took its place.';
    return { ...gone, credited: false, note };
  }
  const others = differences.filter(
    ({ kind, fixes }) => kind === 'explains' && !fixes.includes(was.id),
  );
  if (others.length === 0) return { ...gone, credited: true };
  const what = others.map((each) => each.what).join(', ');
  return {
    ...gone,
    credited: false,
    note: `It may not be the reason for the gain, because these differ too: ${what}.`,
  };
}
