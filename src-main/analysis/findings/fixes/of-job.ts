import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { workersAtOnce } from '../facts/job-shape.ts';
import { loaderCode } from '../facts/loader-code.ts';
import type { Judgement } from '../rule.ts';
import { inOwnNames } from './own-names.ts';
import { withWords } from './placeholders.ts';
import { withWhere } from './where-comments.ts';

/** The fix of `judgement` as it is for this job: its code in the names that the trace knows, what the others stand for, and where it goes. */
export function ofJob(facts: RankFacts, judgement: Judgement): Fix {
  const { title, place, fix } = judgement;
  const loader = loaderCode(facts);
  const named = inOwnNames(fix, {
    ...{ place, dataset: loader.dataset, batchSize: loader.batchSize, script: loader.script },
    workers: workersAtOnce(facts),
  });
  return withWhere(withWords(named, loader.user), { title, place, loader });
}
