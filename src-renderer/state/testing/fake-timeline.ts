import type { CallName, CallValue } from '../../../src-main/contract/contract.ts';
import type { Asked } from '../../../src-main/questions/question.ts';
import { questions } from '../../../src-main/questions/questions.ts';
import { decodePacked, encodePacked } from '../../../src-main/shared/rpc/packed.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { parseTilesQuery, tilesQuery } from '../../../src-main/shared/rpc/tiles-query.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import type { TileAnswer } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { timelineAnswers } from '../../../src-main/timeline/tiles/timeline-answers.ts';
import type { FakeApi } from './fake-api.ts';

/** What is asked of a timeline. */
const timelineQuestions = [
  ...(['trace.tracks', 'trace.kinds', 'trace.select', 'trace.around', 'trace.savedRow'] as const),
  ...(['trace.workOf', 'trace.lines', 'trace.neighbour', 'trace.slowCall'] as const),
  ...(['trace.blockRequests', 'trace.threadsOf', 'trace.rangeFigures'] as const),
] satisfies readonly CallName[];

/**
 * Makes `fake` answer what a screen asks of the timeline of `data`, as the process does that has the trace: what can't be
 * asked is refused, and answers are no more than what can be sent.
 */
export function answerTimeline(fake: FakeApi, data: TraceData): FakeApi {
  for (const name of timelineQuestions)
    fake.answer(name, ({ traceId: _, ...args }) => answerOf(name, data, args));
  fake.tiles = async (_traceId, wanted) => {
    const parsed = parseTilesQuery(tilesQuery(wanted));
    if (parsed === undefined) return fail('not-open', 'There are no such tiles.');
    const { buffer } = encodePacked(timelineAnswers(data).tiles(parsed)).slice();
    return ok(decodePacked(buffer) as TileAnswer);
  };
  return fake;
}

async function answerOf<N extends (typeof timelineQuestions)[number]>(
  name: N,
  data: TraceData,
  args: object,
): Promise<Result<CallValue<N>>> {
  const { arguments: schema, answer } = questions[name];
  const asked = { timeline: () => timelineAnswers(data) } as Asked;
  const told = await answer(asked, schema.parse(args) as never);
  return JSON.parse(JSON.stringify(told)) as Result<CallValue<N>>;
}
