import type { Finding } from '../../shared/answers/diagnosis.ts';
import { isTraining, type LoopKind } from '../../shared/answers/loop-kind.ts';
import { inWords, loopOwner } from '../../shared/words/loop-words.ts';

/** Rules speak of the training that most jobs do: `finding` in words that fit a job that does not. */
export function inJobWords(finding: Finding, steps: LoopKind): Finding {
  if (isTraining(steps)) return finding;
  const said = (text: string) => inWords(text, loopOwner(steps));
  const { title, sentence, evidence, fix } = finding;
  return {
    ...finding,
    title: said(title),
    sentence: said(sentence),
    evidence: evidence.map((each) => ({ ...each, text: said(each.text) })),
    fix: { ...fix, title: said(fix.title), text: said(fix.text) },
  };
}
