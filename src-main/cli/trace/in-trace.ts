import { realpath } from 'node:fs/promises';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { type UsedTrace, withTrace } from './with-trace.ts';

/** Opens `file` for one answer. */
export async function inTrace<T>(
  file: string,
  context: CallContext,
  ask: (trace: UsedTrace) => Promise<Result<T>>,
): Promise<Result<T>> {
  const path = await realpath(file).catch(() => file);
  let answer: Result<T> | undefined;
  const done = await withTrace(path, { needsEntry: false, context }, async (trace) => {
    answer = await ask(trace);
    return answer.ok ? ok(null) : answer;
  });
  return done.ok && answer !== undefined ? answer : (done as Result<never>);
}
