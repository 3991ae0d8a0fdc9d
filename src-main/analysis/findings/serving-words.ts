import type { Finding } from '../../shared/answers/diagnosis.ts';

/** Rules speak of the training that most jobs do; a server's findings speak of the server. */
const TRAINING = /\b(t)he training (?:loop|process|thread)(?!\w)/gi;

const said = (text: string) => text.replace(TRAINING, (_, first: string) => `${first}he server`);

/** `finding` in words that fit a job that serves. */
export function inServingWords(finding: Finding): Finding {
  const { title, sentence, evidence, fix } = finding;
  return {
    ...finding,
    title: said(title),
    sentence: said(sentence),
    evidence: evidence.map((each) => ({ ...each, text: said(each.text) })),
    fix: { ...fix, title: said(fix.title), text: said(fix.text) },
  };
}
