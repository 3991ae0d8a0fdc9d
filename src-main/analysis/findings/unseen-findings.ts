import type { Unseen } from '../../shared/answers/unseen.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { RankFacts } from './facts/facts.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';

/** Which findings `trace` could not show of this rank, and why. Without facts it is judged for none. */
export function unseenFindings(trace: Trace, facts: RankFacts | undefined): Unseen {
  const byFinding: Record<string, string> = {};
  for (const rule of rules) {
    const because = whatIsMissing(trace, rule);
    if (because !== undefined) byFinding[rule.id] = because;
  }
  if (facts === undefined) return { byFinding, all: 'No training process is in it.', windowNs: 0 };
  const { steps, inputKnown, window } = facts;
  return {
    byFinding,
    ...(steps.isSelection && {
      all: 'Its calls are a selection of those that happened: what they took is no share of the time.',
    }),
    ...(!inputKnown && { input: steps.inputNote }),
    windowNs: window[1] - window[0],
  };
}

function whatIsMissing(trace: Trace, { needs }: Rule): string | undefined {
  for (const need of needs) {
    const because = need.missing(trace);
    if (because !== undefined) return because;
  }
  return undefined;
}
