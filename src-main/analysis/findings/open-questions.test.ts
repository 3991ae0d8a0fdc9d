import { expect, test } from 'vitest';
import { slowestSamples } from './judging/leaves-open.ts';
import { openQuestions } from './open-questions.ts';
import { buildFacts } from './testing/build-facts.ts';

test('which samples are slow is asked where some are, and not answered', () => {
  const { trace } = buildFacts();
  const asked = (...ids: string[]) =>
    openQuestions(
      trace,
      1,
      ids.map((id) => ({ id })),
    ).filter(({ question }) => question === slowestSamples.question);
  expect(asked('slow-getitem', 'head-of-line')).toEqual([slowestSamples]);
  expect(asked('unpickle')).toEqual([]);
});
