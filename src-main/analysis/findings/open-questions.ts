import type { CannotTell } from '../../shared/answers/basis.ts';
import type { Finding } from '../../shared/answers/diagnosis.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import { jobsOf } from '../jobs/job-index.ts';
import { rules } from './rules.ts';

const NO_TRAINING_CALLS = 'No process is known to have made its CUDA calls.';

/**
 * What stays open, each once: questions of rules that could not be asked, and those that `findings` raise; `ranks` = of so
 * many that were judged.
 */
export function openQuestions(
  trace: Trace,
  ranks: number,
  findings: readonly Pick<Finding, 'id'>[],
): CannotTell[] {
  if (ranks === 0) {
    const { rows } = trace.tables.cuda_call;
    const otherwise = rows > 0 ? NO_TRAINING_CALLS : 'It holds no CUDA calls.';
    const because = whyMissing(trace.tables, 'cuda_call', otherwise);
    return [{ question: 'What did the training loop wait for?', because }];
  }
  const open = new Map<string, string>();
  const found = jobsOf(trace).flatMap((job) =>
    job.ranks.filter(({ mainThread }) => mainThread >= 0),
  ).length;
  if (found > ranks)
    open.set(
      'What did the other training processes wait for?',
      `Of ${formatCount(found)} that were found, ${formatCount(ranks)} were judged: those with the most CUDA calls.`,
    );
  for (const { id, needs, leavesOpen } of rules) {
    if (leavesOpen !== undefined && findings.some((finding) => finding.id === id))
      open.set(leavesOpen.question, leavesOpen.because);
    for (const { question, missing } of needs) {
      const because = open.has(question) ? undefined : missing(trace);
      if (because !== undefined) open.set(question, because);
    }
  }
  return [...open].map(([question, because]) => ({ question, because }));
}
