import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { type BuiltIndex, traceIndex } from '../../analysis/index/trace-index.ts';
import type { LongWork } from '../../questions/question.ts';
import { handlersQuestions, questions } from '../../questions/questions.ts';
import { createRouter } from '../../rpc/router.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type CallContext, defineCall, returns } from '../../shared/rpc/rpc.ts';
import { AT_REST_MS, atRest } from '../../system/at-rest.ts';
import { lowerThread } from '../../system/lower-priority.ts';
import type { TablesWanted } from '../../trace/statements/write-tables.ts';
import { askedAbout } from './asked-about.ts';
import { giveBackMemory } from './give-back.ts';

/** A thread of a trace process that answers questions which take long: see answer-threads.ts. */

/** What it is started with; the columns lie in shared memory. */
export interface ThreadData {
  readonly trace: Trace;
  readonly summary: TraceSummary;
  readonly work: LongWork;
  /** What the process has sorted already. */
  readonly index: BuiltIndex;
}

/** What it has sorted since, for the process: behind an answer, in the same shared memory. Then what both have, for it. */
export interface IndexMessage {
  readonly index: BuiltIndex;
}

/** Also answered there: what only a handler of the process asks for. */
const threadCalls = {
  'statement.write': defineCall(
    z.strictObject({
      path: z.string(),
      isNew: z.boolean(),
      tables: z.array(z.enum(tableNames as [TableName, ...TableName[]])),
    }),
    returns<null>(),
    'disk-full',
  ),
};
const answerThreadCalls = { ...questions, ...handlersQuestions, ...threadCalls } as const;
export type AnswerThreadCalls = typeof answerThreadCalls;

const { trace, summary, work, index } = workerData as ThreadData;
// It takes seconds, and what is drawn and clicked meanwhile needs moments of the same CPUs.
if (work === 'diagnosis') lowerThread();
traceIndex(trace).adopt(index);
const asked = askedAbout(trace, summary);

const handlers = Object.fromEntries(
  Object.entries({ ...questions, ...handlersQuestions }).map(([name, { answer }]) => [
    name,
    (args: never, { signal }: CallContext) => answer(asked, args, signal),
  ]),
);
const writing = {
  // Loaded where it is asked for: other threads never write.
  'statement.write': async (wanted: TablesWanted) =>
    (await import('../../trace/statements/write-tables.ts')).writeTables(trace, wanted),
};
const all = { ...handlers, ...writing } as never;
const router = createRouter(answerThreadCalls, all, (call, bug) =>
  console.error(`bug in ${call}:`, bug),
);
// Before the process does the same, which gives back what all threads have freed.
const onWorked = atRest(giveBackMemory, AT_REST_MS / 2);
const session = router.connect((frame) => {
  parentPort?.postMessage(frame);
  if (frame.kind !== 'result') return;
  tellIndex();
  onWorked();
});
let told = sizeOf(index);

function tellIndex(): void {
  const built = traceIndex(trace).built();
  if (sizeOf(built) === told) return;
  told = sizeOf(built);
  parentPort?.postMessage({ index: built } satisfies IndexMessage);
}

/** It only grows. */
function sizeOf(built: BuiltIndex): number {
  return [...built.values()].reduce((sum, { blockEndsNs }) => sum + 1 + blockEndsNs.size, 0);
}
parentPort?.on('message', (message: object) => {
  if ('index' in message) traceIndex(trace).adopt((message as IndexMessage).index);
  else session.receive(message);
});
