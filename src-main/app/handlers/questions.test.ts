import { expect, test } from 'vitest';
import { questions } from '../../questions/questions.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { questionHandlers } from './questions.ts';

type Handler = (args: unknown, context: CallContext) => Promise<unknown>;

function handlersAnswered(answer: unknown) {
  const asked: unknown[] = [];
  const call = async (name: string, args: unknown) => {
    asked.push([name, args]);
    return answer;
  };
  const traces = {
    find: (id: string) => (id === 't' ? ok({ client: { call } }) : fail('not-open', 'Not open.')),
    useBy: () => undefined,
  } as unknown as Services['traces'];
  const handlers = questionHandlers({ traces }) as unknown as Record<string, Handler>;
  return { asked, handlers };
}

test('every question goes to the process of its trace, and its answer comes back', async () => {
  const { asked, handlers } = handlersAnswered(ok('an answer'));
  expect(Object.keys(handlers)).toEqual(Object.keys(questions));
  for (const [name, handler] of Object.entries(handlers)) {
    expect(await handler({ traceId: 't', more: 1 }, contextOf())).toEqual(ok('an answer'));
    expect(asked.pop()).toEqual([name, { more: 1 }]);
  }
});

test('a trace that is not open, and a process that ended, are named so', async () => {
  const { asked, handlers } = handlersAnswered(fail('disconnected', 'gone'));
  const explain = handlers['trace.explain'] as Handler;
  const error = (code: string) => ({ ok: false, error: { code } });
  expect(await explain({ traceId: 'other' }, contextOf())).toMatchObject(error('not-open'));
  expect(asked).toEqual([]);
  expect(await explain({ traceId: 't' }, contextOf())).toMatchObject(error('process-lost'));
});
