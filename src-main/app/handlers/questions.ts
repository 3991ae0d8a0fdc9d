import type { Calls } from '../../contract/contract.ts';
import { type QuestionName, questionCalls } from '../../questions/question-calls.ts';
import type { CallContext, Handlers } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';

/** Every question goes to the process of the trace as it is. */
export function questionHandlers({
  traces,
}: Pick<Services, 'traces'>): Pick<Handlers<Calls>, QuestionName> {
  function forward(name: QuestionName) {
    return ({ traceId, ...asked }: { readonly traceId: string }, context: CallContext) =>
      askTrace(traces, traceId, context, ({ client }) => client.call(name, asked as never));
  }
  const names = Object.keys(questionCalls) as QuestionName[];
  return Object.fromEntries(names.map((name) => [name, forward(name)])) as never;
}
