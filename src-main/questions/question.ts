import type { z } from 'zod';
import type { PictureOptions } from '../shared/answers/report.ts';
import type { TraceSummary } from '../shared/answers/summary.ts';
import type { Trace } from '../shared/model/trace.ts';
import type { Result } from '../shared/rpc/result.ts';
import { defineCall, type ResultType } from '../shared/rpc/rpc.ts';
import type { TimelineAnswers } from '../timeline/tiles/timeline-answers.ts';

/** What an answer is made from: the open trace, and what its process keeps between two questions. */
export interface Asked {
  readonly trace: Trace;
  readonly summary: TraceSummary;
  /** Draws the timeline; remembers its lanes for the next picture. */
  paint(options: PictureOptions): string;
  /** What a screen asks of the timeline; made when first asked for, and kept with the trace. */
  readonly timeline: () => TimelineAnswers;
}

/**
 * What looks at a whole trace takes seconds in a large one. There it has a thread of its own, so that neither
 * the other one nor a short answer waits for it.
 */
export type LongWork = 'diagnosis' | 'statistics' | 'tables';

interface Definition<Arguments extends z.ZodObject, Value, Errors extends readonly string[]> {
  readonly arguments: Arguments;
  readonly result: ResultType<Value>;
  /** Codes that the answer can fail with. */
  readonly errors: Errors;
  /** Which long work it is when asked with these arguments; absent, or undefined: none. */
  readonly longWork?: (args: z.infer<Arguments>) => LongWork | undefined;
  /** What is answered about a large trace is kept on the disk for the next time that it is opened. */
  readonly isKept?: true;
  /**
   * Runs in the process of the trace. Hosts load this file too, to check arguments: an answer imports
   * the analysis when it is asked for, so that hosts start without it.
   */
  answer(
    asked: Asked,
    args: z.infer<Arguments>,
    /** Aborted once nobody waits for the answer. */
    signal?: AbortSignal,
  ): Promise<Result<NoInfer<Value>, NoInfer<Errors[number]>>>;
}

/** One question to an open trace: a call of its process, together with its answer. */
export function defineQuestion<
  Arguments extends z.ZodObject,
  Value,
  const Errors extends readonly string[],
>({
  arguments: args,
  result,
  errors,
  longWork,
  isKept,
  answer,
}: Definition<Arguments, Value, Errors>) {
  return { ...defineCall(args, result, ...errors), longWork, isKept, answer };
}
