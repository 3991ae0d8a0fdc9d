import type { CannotTell } from '../../../src-main/shared/answers/basis.ts';
import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';

/** What the trace cannot tell of a call and of its wait chain, each question once. */
export function allUnknown({ cannotTell, waitChain }: CallExplanation): CannotTell[] {
  const byQuestion = new Map<string, CannotTell>();
  for (const each of [...cannotTell, ...waitChain.cannotTell])
    if (!byQuestion.has(each.question)) byQuestion.set(each.question, each);
  return [...byQuestion.values()];
}
