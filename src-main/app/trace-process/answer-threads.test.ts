import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { traceIndex } from '../../analysis/index/trace-index.ts';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import type { Asked } from '../../questions/question.ts';
import { questions } from '../../questions/questions.ts';
import { AT_REST_MS } from '../../system/at-rest.ts';
import { shareTrace } from '../../trace/build/share-trace.ts';
import { type AnswerThreads, createAnswerThreads } from './answer-threads.ts';
import { askedAbout } from './asked-about.ts';
import { summarise } from './summarise.ts';

/** Of its own each time: what is worked out of a trace is kept with it. */
function askedOf(batches: number): Asked {
  const trace = shareTrace(loaderTrace({ batches, batchNs: 1_000_000 }));
  return askedAbout(trace, summarise(trace));
}

let threads: AnswerThreads | undefined;
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  threads?.forget();
});

test('a thread answers as the process itself does', async () => {
  threads = createAnswerThreads();
  const asked = askedOf(30);
  const beside = await Promise.all([
    threads.ask('diagnosis', asked, 'trace.diagnose', {}, new AbortController().signal),
    threads.ask(
      'diagnosis',
      asked,
      'trace.explain',
      { call: 0, fixes: true },
      new AbortController().signal,
    ),
    threads.ask(
      'statistics',
      asked,
      'trace.operations',
      { bySize: true },
      new AbortController().signal,
    ),
    threads.ask('statistics', asked, 'trace.processes', { span: {} }, new AbortController().signal),
  ]);
  const here = await Promise.all([
    questions['trace.diagnose'].answer(asked, {}),
    questions['trace.explain'].answer(asked, { call: 0, fixes: true }),
    questions['trace.operations'].answer(asked, { bySize: true }),
    questions['trace.processes'].answer(asked, { span: {} }),
  ]);
  expect(beside).toEqual(here);
  expect(here.every(({ ok }) => ok)).toBe(true);
});

test('what is cancelled ends its thread, unless another waits for it; the next question has a new one', async () => {
  threads = createAnswerThreads();
  const asked = askedOf(10);
  const controller = new AbortController();
  const cancelled = threads.ask('diagnosis', asked, 'trace.diagnose', {}, controller.signal);
  const waits = threads.ask(
    'diagnosis',
    asked,
    'trace.explain',
    { call: 0 },
    new AbortController().signal,
  );
  controller.abort();
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(await waits).toMatchObject({ ok: true });

  const alone = new AbortController();
  const ended = threads.ask('diagnosis', asked, 'trace.diagnose', {}, alone.signal);
  alone.abort();
  expect(await ended).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  const again = await threads.ask(
    'diagnosis',
    asked,
    'trace.diagnose',
    {},
    new AbortController().signal,
  );
  expect(again).toMatchObject({ ok: true, value: { ranks: { length: 1 } } });
});

test('a trace that has changed is asked anew', async () => {
  threads = createAnswerThreads();
  const old = threads.ask(
    'diagnosis',
    askedOf(10),
    'trace.diagnose',
    {},
    new AbortController().signal,
  );
  threads.forget();
  expect(await old).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/again/) },
  });
  const asked = askedOf(20);
  const found = await threads.ask(
    'diagnosis',
    asked,
    'trace.operations',
    { bySize: false },
    new AbortController().signal,
  );
  expect(found).toEqual(await questions['trace.operations'].answer(asked, { bySize: false }));
});

test('a question that it fails at is answered, and so is the next', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  threads = createAnswerThreads();
  const asked = askedOf(10);
  const { trace } = asked;
  // A column that is missing against its type: a bug, as far as the analysis is concerned.
  const broken = { ...trace, tables: { ...trace.tables, cuda_call: undefined as never } };
  const about = { ...asked, trace: broken };
  for (let time = 0; time < 2; time++) {
    const answer = await threads.ask(
      'statistics',
      about,
      'trace.operations',
      { bySize: false },
      new AbortController().signal,
    );
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
  }
});

test('what a thread has sorted for its answer, the process has in the same memory', async () => {
  threads = createAnswerThreads();
  const asked = askedOf(20);
  const { signal } = new AbortController();
  await threads.ask('diagnosis', asked, 'trace.diagnose', {}, signal);
  const built = () => traceIndex(asked.trace).built().get('off_cpu')?.sorted.order.buffer;
  await expect.poll(built).toBeInstanceOf(SharedArrayBuffer);
});

test('at rest, a thread of statistics ends, and the next question starts another; that of the diagnosis stays', async () => {
  const terminate = vi.spyOn(Worker.prototype, 'terminate');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  threads = createAnswerThreads();
  const asked = askedOf(10);
  const { signal } = new AbortController();
  const operations = () =>
    (threads as AnswerThreads).ask(
      'statistics',
      asked,
      'trace.operations',
      { bySize: true },
      signal,
    );
  const before = await operations();
  await threads.ask('diagnosis', asked, 'trace.diagnose', {}, signal);
  await vi.advanceTimersByTimeAsync(AT_REST_MS);
  expect(terminate).toHaveBeenCalledTimes(1);
  expect(await operations()).toEqual(before);
});
