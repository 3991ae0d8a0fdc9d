import { resolve } from 'node:path';
import { compareRuns } from '../../compare/compare-runs.ts';
import { compareSeries } from '../../compare/compare-series.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import { flameDifferenceMarkdown } from '../../compare/flame-difference-markdown.ts';
import { seriesMarkdown } from '../../compare/series-markdown.ts';
import { type SlowerSteps, slowerSteps } from '../../compare/slower-steps.ts';
import { secondOpinionMarkdown } from '../../markdown/second-opinion-markdown.ts';
import type { RunComparison } from '../../shared/answers/comparison.ts';
import { MAX_SERIES_RUNS } from '../../shared/answers/run-series.ts';
import { type FlameWeight, flameWeights } from '../../shared/library/view.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { defineCommand } from '../command/command.ts';
import { EXIT_CANNOT_TELL, EXIT_DONE, EXIT_SLOWER } from '../output/exit-codes.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { wrongUsage } from '../output/wrong-usage.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { comparisonText } from '../texts/comparison-text.ts';
import { foldedDifference } from '../texts/folded-difference.ts';
import { secondOpinionText } from '../texts/second-opinion-text.ts';
import { seriesText } from '../texts/series-text.ts';
import { flameDifferenceOf } from '../trace/flame-difference-of.ts';
import { type FoundRuns, runsOf } from '../trace/runs-of.ts';
import {
  secondOpinionOf,
  type TraceAndSummary,
  traceAndSummary,
} from '../trace/second-opinion-of.ts';
import { isFolder } from '../trace/traces-in.ts';

type Output = 'text' | 'json' | 'markdown';

interface CompareOptions {
  /** Absolute: two files or more, or one folder. */
  readonly paths: readonly string[];
  /** 0.03 of 3 %. */
  readonly slowerShare: number | undefined;
  readonly output: Output;
  /** Whose stacks are compared instead. */
  readonly weight: FlameWeight | undefined;
}

export const compare = defineCommand({
  name: 'compare',
  synopsis: 'FIRST SECOND… | FOLDER [--json | --markdown] [--fail-if-slower N%]',
  summary: 'whether the steps of later runs are shorter, and what else differs',
  usage: `Usage: stalltrace compare FIRST SECOND… [--json | --markdown] [--fail-if-slower N%]
       stalltrace compare FOLDER [--json | --markdown] [--fail-if-slower N%]
       stalltrace compare FIRST SECOND --flame WEIGHT [--json | --markdown]
       stalltrace compare TRACE SUMMARY [--json | --markdown]

Compares runs of one job with the first: what differs in what they ran on, how long a step takes and
its parts, with intervals of 95 %, CUDA operations, and which findings are gone, new or changed. Of
more than two runs, or of the traces in a folder from the earliest on, a table: the setting that
varied, a step, and how it compares. SUMMARY is TraceML's final_summary.json of the same run: whether
both come to the same verdict, and the figures of each.

  --json               one JSON object, documented in docs/cli.md, instead of text
  --markdown           Markdown, for an issue or a pull request
  --fail-if-slower N%  for CI: exit code ${EXIT_SLOWER} where a step is at least N % longer, and surely longer;
                       ${EXIT_CANNOT_TELL} where that cannot be told. stderr says why, and where it passes by
                       noise alone
  --flame WEIGHT       of two runs, the weight of each stack in a mean step of the first and of the
                       second, as flamegraph.pl draws differences; with --markdown the functions that
                       changed most. WEIGHT as in stalltrace flame`,
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    'fail-if-slower': { type: 'string' },
    flame: { type: 'string' },
  },
  takesOperands: true,
  read({ values, operands }, startFolder): CompareOptions | string {
    const paths = operands.map((path) => resolve(startFolder, path));
    const isEnough = paths.length > 1 || paths.some(isFolder);
    if (!isEnough || operands.includes(''))
      return 'Name two trace files, the first run and the second, or a folder of them.';
    if (operands.length > MAX_SERIES_RUNS)
      return `${operands.length} files are named: name at most ${MAX_SERIES_RUNS}.`;
    const { json, markdown, 'fail-if-slower': slower, flame } = values;
    if (json && markdown) return 'Choose one of --json and --markdown.';
    if (slower !== undefined && !/^\d{1,4}(\.\d{1,3})?%$/.test(slower))
      return `--fail-if-slower ${slower} is not a percentage: write 3% or 2.5%.`;
    const weight = flameWeights.find((each) => each === flame);
    if (flame !== undefined && weight === undefined)
      return `--flame ${flame} is none of ${flameWeights.join(', ')}.`;
    if (flame !== undefined && (paths.length !== 2 || slower !== undefined))
      return '--flame takes two trace files, and no --fail-if-slower.';
    return {
      paths,
      slowerShare: slower === undefined ? undefined : Number(slower.slice(0, -1)) / 100,
      output: json ? 'json' : markdown ? 'markdown' : 'text',
      weight,
    };
  },
  async run({ paths, slowerShare, output, weight }) {
    const stop = new AbortController();
    onStopSignal(stop);
    const context = contextUntil(stop.signal);
    const [first, second] = paths;
    if (weight !== undefined && first !== undefined && second !== undefined)
      return printFlames([first, second], weight, output, context);
    const sides = await traceAndSummary(paths);
    if (sides !== undefined && slowerShare !== undefined)
      return wrongUsage(
        'compare',
        '--fail-if-slower takes two runs: a TraceML summary and its trace are one run.',
      );
    if (sides !== undefined) return printOpinion(sides, output, context);
    const found = await runsOf(paths, context);
    if (!found.ok) return reportFailure(found.error, output === 'json');
    const { skipped } = found.value;
    for (const why of skipped) console.error(`Left out: ${cleanText(why, Infinity)}`);
    const comparisons = print(found.value, output);
    return slowerShare === undefined ? EXIT_DONE : exitCode(comparisons, slowerShare);
  },
});

async function printOpinion(
  sides: TraceAndSummary,
  output: Output,
  context: CallContext,
): Promise<number> {
  const opinion = await secondOpinionOf(sides, context);
  if (!opinion.ok) return reportFailure(opinion.error, output === 'json');
  if (output === 'json') printJson(opinion.value);
  else
    console.log(
      output === 'text' ? secondOpinionText(opinion.value) : secondOpinionMarkdown(opinion.value),
    );
  return EXIT_DONE;
}

async function printFlames(
  paths: readonly [string, string],
  weight: FlameWeight,
  output: Output,
  context: CallContext,
): Promise<number> {
  const found = await flameDifferenceOf(paths, weight, context);
  if (!found.ok) return reportFailure(found.error, output === 'json');
  const difference = found.value;
  if (output === 'json') printJson(difference, 0);
  else if (output === 'markdown') console.log(flameDifferenceMarkdown(difference));
  else {
    for (const line of foldedDifference(difference)) console.log(line);
    for (const note of difference.notes) console.error(`stalltrace: ${note}`);
  }
  return EXIT_DONE;
}

/** Prints two runs side by side, more as a table; each comparison with the first. */
function print({ runs, skipped }: FoundRuns, output: Output): readonly RunComparison[] {
  const [first, second] = runs;
  if (runs.length === 2 && first !== undefined && second !== undefined) {
    const comparison = compareRuns(first.summary, second.summary);
    if (output === 'json') printJson(comparison);
    else
      console.log(output === 'text' ? comparisonText(comparison) : comparisonMarkdown(comparison));
    return [comparison];
  }
  const series = compareSeries(runs);
  if (output === 'json') printJson(series);
  else console.log(output === 'text' ? seriesText(series) : seriesMarkdown(series, skipped));
  return series.runs.flatMap(({ comparison }) => comparison ?? []);
}

function exitCode(comparisons: readonly RunComparison[], slowerShare: number): number {
  const { outcome, why } = slowerSteps(comparisons, slowerShare);
  if (why !== undefined) console.error(`stalltrace: ${cleanText(why, 2_000)}`);
  return exitCodeOf[outcome];
}

const exitCodeOf = {
  slower: EXIT_SLOWER,
  'cannot-tell': EXIT_CANNOT_TELL,
  passed: EXIT_DONE,
} as const satisfies Record<SlowerSteps['outcome'], number>;
