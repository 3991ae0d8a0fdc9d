import { expect, test } from 'vitest';
import { questionCalls } from './question-calls.ts';
import { questions } from './questions.ts';

const traceId = '8e2d3f50-1d0b-4f0e-9a39-0f8a4c1f2b3c';

test('every question is a call that says to which trace', () => {
  expect(Object.keys(questionCalls)).toEqual(Object.keys(questions));
  for (const { arguments: args } of Object.values(questionCalls)) {
    const paths = args.safeParse({}).error?.issues.map(({ path }) => path.join('.'));
    expect(paths).toContain('traceId');
  }
});

test('arguments are checked as the question has them, and nothing more is let in', () => {
  const chain = questionCalls['trace.chain'].arguments;
  const asked = { thread: 0, startNs: 1, endNs: 2 };
  expect(chain.parse({ traceId, ...asked })).toEqual({ traceId, ...asked });
  for (const bad of [{ thread: -1 }, { more: 1 }, { traceId: 'x' }, { endNs: '2' }])
    expect(chain.safeParse({ traceId, ...asked, ...bad }).success).toBe(false);
});

test('a call fails as its question does, or because the trace is not there any more', () => {
  expect(questionCalls['trace.chain'].errors).toEqual(['not-found', 'not-open', 'process-lost']);
  expect(questionCalls['trace.diagnose'].errors).toEqual(['not-open', 'process-lost']);
});
