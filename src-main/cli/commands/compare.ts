import { resolve } from 'node:path';
import { compareRuns } from '../../compare/compare-runs.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import type { RunComparison } from '../../shared/answers/comparison.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { defineCommand } from '../command/command.ts';
import { EXIT_CANNOT_TELL, EXIT_DONE, EXIT_SLOWER } from '../output/exit-codes.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { comparisonText } from '../texts/comparison-text.ts';
import { inTrace } from '../trace/in-trace.ts';

interface CompareOptions {
  /** Absolute. */
  readonly first: string;
  readonly second: string;
  /** 0.03 of 3 %. */
  readonly slowerShare: number | undefined;
  readonly output: 'text' | 'json' | 'markdown';
}

export const compare = defineCommand({
  name: 'compare',
  synopsis: 'FIRST SECOND [--json | --markdown] [--fail-if-slower N%]',
  summary: 'whether the steps of a second run are shorter, and what else differs',
  usage: `Usage: stalltrace compare FIRST SECOND [--json | --markdown] [--fail-if-slower N%]

Compares two runs of one job: what differs in what they ran on, how long a step takes and its parts,
with intervals of 95 %, CUDA operations, and which findings are gone, new or changed.

  --json               one JSON object, documented in docs/cli.md, instead of text
  --markdown           Markdown, for an issue or a pull request
  --fail-if-slower N%  for CI: exit code ${EXIT_SLOWER} where a step is at least N % longer, and surely longer;
                       ${EXIT_CANNOT_TELL} where that cannot be told`,
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    'fail-if-slower': { type: 'string' },
  },
  takesOperands: true,
  read({ values, operands }, startFolder): CompareOptions | string {
    const [first = '', second = '', ...more] = operands;
    if (first === '' || second === '') return 'Name two trace files: the first run and the second.';
    if (more.length > 0) return 'Name two trace files only.';
    const { json, markdown, 'fail-if-slower': slower } = values;
    if (json && markdown) return 'Choose one of --json and --markdown.';
    if (slower !== undefined && !/^\d{1,4}(\.\d{1,3})?%$/.test(slower))
      return `--fail-if-slower ${slower} is no percentage: write 3% or 2.5%.`;
    return {
      first: resolve(startFolder, first),
      second: resolve(startFolder, second),
      slowerShare: slower === undefined ? undefined : Number(slower.slice(0, -1)) / 100,
      output: json ? 'json' : markdown ? 'markdown' : 'text',
    };
  },
  async run({ first, second, slowerShare, output }) {
    const stop = new AbortController();
    onStopSignal(stop);
    const compared = await compareFiles(first, second, contextUntil(stop.signal));
    if (!compared.ok) return reportFailure(compared.error, output === 'json');
    const comparison = compared.value;
    if (output === 'json') printJson(comparison);
    else
      console.log(output === 'text' ? comparisonText(comparison) : comparisonMarkdown(comparison));
    return slowerShare === undefined ? EXIT_DONE : exitCode(comparison, slowerShare);
  },
});

/** One trace is open at a time: what is compared of it is small. */
async function compareFiles(
  first: string,
  second: string,
  context: CallContext,
): Promise<Result<RunComparison>> {
  const one = await summaryOf(first, context);
  if (!one.ok) return one;
  const other = await summaryOf(second, context);
  return other.ok ? ok(compareRuns(one.value, other.value)) : other;
}

function summaryOf(file: string, context: CallContext) {
  return inTrace(file, context, ({ app, traceId }) =>
    app.handlers['trace.runSummary']({ traceId }, context),
  );
}

/** What cannot be told is no pass: a job in CI that compares nothing would never fail. */
function exitCode({ verdict, step }: RunComparison, slowerShare: number): number {
  if (verdict === 'cannot-tell' || verdict === 'not-comparable') return EXIT_CANNOT_TELL;
  const { ratio = 1, low = 1 } = step ?? {};
  return low > 1 && ratio >= 1 + slowerShare ? EXIT_SLOWER : EXIT_DONE;
}
