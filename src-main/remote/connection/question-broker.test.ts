import { describe, expect, test } from 'vitest';
import type { RemoteQuestion } from '../../shared/remote/questions.ts';
import { QuestionBroker } from './question-broker.ts';

function aBroker() {
  const asked: RemoteQuestion[] = [];
  const gone: string[] = [];
  const broker = new QuestionBroker((name, payload) => {
    if (name === 'question') asked.push(payload as RemoteQuestion);
    else gone.push((payload as { id: string }).id);
  });
  return { broker, asked, gone };
}

describe('questions to a person', () => {
  const question = { kind: 'password', host: 'me@gpu:22', attempt: 1 } as const;
  const never = new AbortController().signal;

  test('are answered once', async () => {
    const { broker, asked, gone } = aBroker();
    const answer = broker.askFor('one')(question, never);
    const id = asked[0]?.id ?? '';
    expect(asked).toMatchObject([{ ...question, connection: 'one', keeping: { possible: false } }]);
    expect(broker.answer(id, { kind: 'texts', texts: ['x'], remember: false }).ok).toBe(true);
    expect(await answer).toMatchObject({ texts: ['x'] });
    expect(gone).toEqual([id]);
    expect(broker.answer(id, { kind: 'cancel' })).toMatchObject({ error: { code: 'not-found' } });
  });

  test('are taken back when whoever asks gives up, or the connection ends', async () => {
    const { broker, asked, gone } = aBroker();
    const giveUp = new AbortController();
    const first = broker.askFor('one')(question, giveUp.signal);
    const second = broker.askFor('two')(question, never);
    const third = broker.askFor('one')({ ...question, attempt: 2 }, never);
    giveUp.abort();
    expect(await first).toEqual({ kind: 'cancel' });
    broker.cancelAll('two');
    expect(await second).toEqual({ kind: 'cancel' });
    expect(gone).toEqual([asked[0]?.id, asked[1]?.id]);
    broker.cancelAll('one');
    expect(await third).toEqual({ kind: 'cancel' });
    expect(await broker.askFor('one')(question, giveUp.signal)).toEqual({ kind: 'cancel' });
    expect(asked).toHaveLength(3);
  });

  test('without a secret say nothing of keeping one', () => {
    const { broker, asked } = aBroker();
    void broker.askFor('one')({ kind: 'match-exec', host: 'gpu', commands: ['true'] }, never);
    expect(asked[0]).not.toHaveProperty('keeping');
    broker.cancelAll('one');
  });
});
