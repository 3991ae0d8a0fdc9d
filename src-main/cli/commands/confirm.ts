import { resolve } from 'node:path';
import {
  type Confirmation,
  type EarlierFinding,
  earlierFindingOf,
} from '../../shared/answers/confirmation.ts';
import type { Diagnosis, Finding } from '../../shared/answers/diagnosis.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { defineCommand } from '../command/command.ts';
import { EXIT_CANNOT_TELL, EXIT_DONE, EXIT_STILL_THERE } from '../output/exit-codes.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { confirmText } from '../texts/confirm-text.ts';
import { inTrace } from '../trace/in-trace.ts';

interface ConfirmOptions {
  readonly finding: string;
  /** Absolute. */
  readonly before: string;
  readonly after: string;
  readonly rank: number | undefined;
  readonly json: boolean;
}

export const confirm = defineCommand({
  name: 'confirm',
  synopsis: 'FINDING BEFORE AFTER [--json]',
  summary: 'whether a second trace still has a finding of the first',
  usage: `Usage: stalltrace confirm FINDING BEFORE AFTER [--rank N] [--json]

Judges one finding of a trace again in a second one, recorded after the change that it asks for:
gone, still there, or cannot tell and why. FINDING is its id as explain BEFORE prints it, such as
workers-to-cores.

  --rank N   of which rank of BEFORE, counted from 0 (default: where it costs most)
  --json     one JSON object, documented in docs/cli.md, instead of text

Exit codes: 0 gone, ${EXIT_STILL_THERE} still there, ${EXIT_CANNOT_TELL} cannot tell.`,
  options: {
    rank: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  takesOperands: true,
  read({ values, operands }, startFolder): ConfirmOptions | string {
    const [finding = '', before = '', after = '', ...more] = operands;
    if (finding === '') return 'Name the finding to confirm, as explain prints it.';
    if (before === '' || after === '') return 'Name two trace files: before and after the change.';
    if (more.length > 0) return 'Name two trace files only.';
    const { rank, json } = values;
    if (rank !== undefined && !/^\d{1,6}$/.test(rank)) return `--rank ${rank} is not a rank.`;
    return {
      finding,
      before: resolve(startFolder, before),
      after: resolve(startFolder, after),
      rank: rank === undefined ? undefined : Number(rank),
      json,
    };
  },
  async run(options) {
    const stop = new AbortController();
    onStopSignal(stop);
    const judged = await judge(options, contextUntil(stop.signal));
    if (!judged.ok) return reportFailure(judged.error, options.json);
    const { title, confirmation } = judged.value;
    if (options.json) printJson({ finding: options.finding, title, ...confirmation });
    else console.log(confirmText(title, confirmation));
    return exitCodeOf[confirmation.outcome];
  },
});

const exitCodeOf = {
  gone: EXIT_DONE,
  'still-there': EXIT_STILL_THERE,
  'cannot-tell': EXIT_CANNOT_TELL,
} as const satisfies Record<Confirmation['outcome'], number>;

interface Judged {
  readonly title: string;
  readonly confirmation: Confirmation;
}

async function judge(
  { finding: id, rank, before, after }: ConfirmOptions,
  context: CallContext,
): Promise<Result<Judged>> {
  const earlier = await inTrace(before, context, async ({ app, traceId }) => {
    const diagnosed = await app.handlers['trace.diagnose']({ traceId }, context);
    if (!diagnosed.ok) return diagnosed;
    const finding = findingNamed(diagnosed.value, id, rank);
    if (!finding.ok) return finding;
    const asked = { traceId, rank: finding.value.rank };
    const run = await app.handlers['trace.runSummary'](asked, context);
    return run.ok ? ok(earlierFindingOf(diagnosed.value, finding.value, run.value)) : run;
  });
  if (!earlier.ok) return earlier;
  const finding: EarlierFinding = earlier.value;
  return inTrace(after, context, async ({ app, traceId }) => {
    const confirmed = await app.handlers['trace.confirm']({ traceId, finding }, context);
    return confirmed.ok ? ok({ title: finding.title, confirmation: confirmed.value }) : confirmed;
  });
}

function findingNamed(
  { findings, ranks }: Diagnosis,
  id: string,
  rank: number | undefined,
): Result<Finding> {
  const ofRank = findings.filter((each) => rank === undefined || each.rank === rank);
  const finding = ofRank.find((each) => each.id === id);
  if (finding !== undefined) return ok(finding);
  if (rank !== undefined && rank >= ranks.length)
    return fail(
      'not-found',
      `There is no rank ${rank} in the first trace: it has ${ranks.length}.`,
    );
  const known = [...new Set(ofRank.map((each) => each.id))].join(', ');
  const has = known === '' ? 'it has none' : `it has ${known}`;
  return fail('not-found', `The first trace has no finding “${cleanText(id, 80)}”: ${has}.`);
}
