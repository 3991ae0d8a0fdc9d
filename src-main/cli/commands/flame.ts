import { resolve } from 'node:path';
import type { FlameTree } from '../../shared/answers/flame.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { type FlameWeight, flameWeights } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { formatShare } from '../../shared/text/units.ts';
import {
  partialText,
  samplingText,
  undrawnText,
  whyWithout,
} from '../../shared/words/flame-weights.ts';
import { defineCommand } from '../command/command.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { foldedStacks } from '../texts/folded-stacks.ts';
import { withTrace } from '../trace/with-trace.ts';

interface FlameOptions {
  /** Absolute. */
  readonly file: string;
  readonly weight: FlameWeight;
}

export const flame = defineCommand({
  name: 'flame',
  synopsis: 'FILE [--weight WEIGHT]',
  summary: 'its stacks with their weights, for flamegraph.pl and speedscope',
  usage: `Usage: stalltrace flame FILE [--weight WEIGHT]

Prints the stacks of a trace in the folded format: a line for each, its functions from the outermost
on with ; between them, and its weight. What no stack stands for is said on stderr.

  --weight WEIGHT   cuda-time     ns in CUDA calls (default)
                    gpu-time      ns on the GPU of kernels and copies, below what asked for them
                    cuda-bytes    bytes of CUDA calls
                    off-cpu-time  ns off the CPU
                    cpu-samples   samples of what ran`,
  options: { weight: { type: 'string', default: 'cuda-time' } },
  takesOperands: true,
  read({ values, operands: [file = '', ...more] }, startFolder): FlameOptions | string {
    const weight = flameWeights.find((each) => each === values.weight);
    if (file === '') return 'Name the trace file whose stacks to print.';
    if (more.length > 0) return 'Name one trace file only.';
    if (weight === undefined)
      return `--weight ${values.weight} is none of ${flameWeights.join(', ')}.`;
    return { file: resolve(startFolder, file), weight };
  },
  async run(options) {
    const stop = new AbortController();
    onStopSignal(stop);
    const done = await print(options, contextUntil(stop.signal));
    return done.ok ? 0 : reportFailure(done.error);
  },
});

function print({ file, weight }: FlameOptions, context: CallContext): Promise<Result<null>> {
  return withTrace(file, { needsEntry: false, context }, async ({ app, traceId, summary }) => {
    const why = whyWithout(summary, weight);
    if (why !== undefined) return fail('not-found', `This trace has no ${weight}. ${why}`);
    const query = { weight, order: 'heavy' } as const;
    const tree = await app.handlers['trace.flame']({ traceId, query }, context);
    if (!tree.ok) return tree;
    for (const line of foldedStacks(tree.value)) console.log(line);
    for (const line of leftOut(tree.value, summary, weight)) console.error(`stalltrace: ${line}`);
    return ok(null);
  });
}

/** What a reader of the lines has to know of what is not in them. */
function leftOut(tree: FlameTree, summary: TraceSummary, weight: FlameWeight): string[] {
  const { cutWeight, totalWeight } = tree;
  const lines = [samplingText(summary, weight), partialText(summary, weight)];
  const undrawn = undrawnText(tree);
  if (undrawn !== '') lines.push(`Not printed: ${undrawn}.`);
  if (cutWeight > 0)
    lines.push(`${formatShare(cutWeight, totalWeight)} is in stacks too small to be listed.`);
  return lines.filter((line) => line !== '');
}
