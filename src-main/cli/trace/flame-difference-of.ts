import { flameDifference } from '../../compare/flame-difference.ts';
import type { FlameDifference, RunFlame } from '../../shared/answers/flame-difference.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { askFiles } from './ask-files.ts';

/** The stacks of two trace files in one tree. */
export async function flameDifferenceOf(
  paths: readonly [first: string, second: string],
  weight: FlameWeight,
  context: CallContext,
): Promise<Result<FlameDifference>> {
  const read = await askFiles<RunFlame>(
    paths,
    context,
    () => false,
    async ({ app, traceId }, path, ofOne) => {
      const flame = await app.handlers['trace.runFlame']({ traceId, weight }, ofOne);
      return flame.ok || flame.error.code !== 'not-found'
        ? flame
        : fail('not-found', `${path}: ${flame.error.message}`);
    },
  );
  if (!read.ok) return read;
  const flames = read.value.flatMap((flame) => (flame.ok ? [flame.value] : []));
  return ok(flameDifference(...(flames as [RunFlame, RunFlame])));
}
