import { z } from 'zod';
import { questions } from './questions.ts';

type Questions = typeof questions;
export type QuestionName = keyof Questions;

type WithTrace<Arguments> =
  Arguments extends z.ZodObject<infer Shape, z.core.$strict>
    ? z.ZodObject<Shape & { readonly traceId: z.ZodUUID }, z.core.$strict>
    : never;

/** A question as a call of the contract: to which trace, and that this one may not be there any more. */
type ToTrace<Question extends Questions[QuestionName]> = {
  readonly arguments: WithTrace<Question['arguments']>;
  readonly result: Question['result'];
  readonly errors: readonly (Question['errors'][number] | 'not-open' | 'process-lost')[];
};

type QuestionCalls = { readonly [N in QuestionName]: ToTrace<Questions[N]> };

/** All questions, as calls of the contract. */
export const questionCalls = Object.fromEntries(
  Object.entries(questions).map(([name, { arguments: args, result, errors }]) => [
    name,
    {
      arguments: args.extend({ traceId: z.uuid() }),
      result,
      errors: [...errors, 'not-open', 'process-lost'],
    },
  ]),
) as unknown as QuestionCalls;
