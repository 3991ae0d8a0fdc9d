import { parentPort, workerData } from 'node:worker_threads';
import { handlersQuestions, questions } from '../../questions/questions.ts';
import { createRouter } from '../../rpc/router.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { askedAbout } from './asked-about.ts';

/** A thread of a trace process that answers questions which take long: see answer-threads.ts. */

/** What it is started with; the columns lie in shared memory. */
export interface ThreadData {
  readonly trace: Trace;
  readonly summary: TraceSummary;
}

const answerThreadCalls = { ...questions, ...handlersQuestions } as const;
export type AnswerThreadCalls = typeof answerThreadCalls;

const { trace, summary } = workerData as ThreadData;
const asked = askedAbout(trace, summary);

const handlers = Object.fromEntries(
  Object.entries(answerThreadCalls).map(([name, { answer }]) => [
    name,
    (args: never, { signal }: CallContext) => answer(asked, args, signal),
  ]),
) as never;
const router = createRouter(answerThreadCalls, handlers, (call, bug) =>
  console.error(`bug in ${call}:`, bug),
);
const session = router.connect((frame) => parentPort?.postMessage(frame));
parentPort?.on('message', (message) => session.receive(message));
