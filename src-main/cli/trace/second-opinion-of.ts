import { basename } from 'node:path';
import { kindOfFile } from '../../app/opening/kind-of-file.ts';
import { MAX_TRACEML_LENGTH, parseTraceMlSummary } from '../../shared/library/traceml-summary.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { type SecondOpinion, secondOpinion } from '../../shared/words/second-opinion.ts';
import { readHead } from '../../system/read-head.ts';
import { inTrace } from './in-trace.ts';

/** A trace, and TraceML's summary of the same run. */
export interface TraceAndSummary {
  readonly trace: string;
  readonly summary: string;
}

/** Two files of which one is a summary, in either order; undefined where none is, or more are named. */
export async function traceAndSummary(
  paths: readonly string[],
): Promise<TraceAndSummary | undefined> {
  const [first, second, ...more] = paths;
  if (first === undefined || second === undefined || more.length > 0) return undefined;
  if ((await kindOfFile(second)) === 'traceml') return { trace: first, summary: second };
  return (await kindOfFile(first)) === 'traceml' ? { trace: second, summary: first } : undefined;
}

/** What both say of the run. */
export async function secondOpinionOf(
  { trace, summary }: TraceAndSummary,
  context: CallContext,
): Promise<Result<SecondOpinion>> {
  const read = await readSummary(summary);
  if (!read.ok) return read;
  return inTrace(trace, context, async ({ app, traceId, summary: ofTrace }) => {
    const diagnosed = await app.handlers['trace.diagnose']({ traceId }, context);
    return diagnosed.ok ? ok(secondOpinion(read.value, diagnosed.value, ofTrace)) : diagnosed;
  });
}

async function readSummary(path: string) {
  const name = cleanText(basename(path), 200);
  try {
    // One byte more than the longest has shows that it is none.
    const head = await readHead(path, MAX_TRACEML_LENGTH + 1);
    return parseTraceMlSummary(head?.bytes.toString('utf8') ?? '', name);
  } catch (thrown) {
    const message = `“${name}” could not be read: check that it is still there.`;
    return fail('file-unreadable', message, describeThrown(thrown));
  }
}
