import { flameDifference } from '../../compare/flame-difference.ts';
import type { FlameDifference, RunFlame } from '../../shared/answers/flame-difference.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { inTrace } from './in-trace.ts';

/** The stacks of two trace files in one tree. One trace is open at a time. */
export async function flameDifferenceOf(
  paths: readonly [first: string, second: string],
  weight: FlameWeight,
  context: CallContext,
): Promise<Result<FlameDifference>> {
  const flames: RunFlame[] = [];
  for (const path of paths) {
    const flame = await inTrace(path, context, ({ app, traceId }) =>
      app.handlers['trace.runFlame']({ traceId, weight }, context),
    );
    if (!flame.ok)
      return flame.error.code === 'not-found'
        ? fail('not-found', `${path}: ${flame.error.message}`)
        : flame;
    flames.push(flame.value);
  }
  return ok(flameDifference(...(flames as [RunFlame, RunFlame])));
}
