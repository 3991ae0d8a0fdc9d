import type { Finding } from '../../shared/answers/diagnosis.ts';
import { isTraining, type LoopKind } from '../../shared/answers/loop-kind.ts';
import { inWords, loopOwner } from '../../shared/words/loop-words.ts';
import type { Judgement } from './rule.ts';

/** The title of a judgement in words that fit its job: what it cost is listed under it. */
export function withJobTitle(judgement: Judgement, steps: LoopKind): Judgement {
  if (isTraining(steps)) return judgement;
  return { ...judgement, title: inWords(judgement.title, loopOwner(steps)) };
}

/** Rules speak of the training that most jobs do: `finding` in words that fit a job that does not. */
export function inJobWords(finding: Finding, steps: LoopKind): Finding {
  if (isTraining(steps)) return finding;
  const said = (text: string) => inWords(text, loopOwner(steps));
  const { title, sentence, growth, evidence, fix } = finding;
  return {
    ...finding,
    title: said(title),
    sentence: said(sentence),
    ...(growth !== undefined && { growth: said(growth) }),
    evidence: evidence.map((each) => ({ ...each, text: said(each.text) })),
    fix: {
      ...fix,
      title: said(fix.title),
      text: said(fix.text),
      after: inComments(fix.after, said),
    },
  };
}

/** Of code only what it says: names in it stay. */
function inComments(code: string, said: (text: string) => string): string {
  return code.replaceAll(/# .*$/gm, said);
}
