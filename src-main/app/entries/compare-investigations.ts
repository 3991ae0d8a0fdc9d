import { compareRuns } from '../../compare/compare-runs.ts';
import { compareSeries, type NamedRun } from '../../compare/compare-series.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import { seriesMarkdown } from '../../compare/series-markdown.ts';
import type { CallError } from '../../contract/contract.ts';
import type { ComparedRuns, ComparedSeries } from '../../shared/contract/library-calls.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, Progress } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';
import { openInvestigation } from './open-investigation.ts';

type CompareError = CallError<'library.compare'>;

/** Compares two entries of the library. One trace is open at a time: what is compared of it is small. */
export async function compareInvestigations(
  services: Services,
  first: number,
  second: number,
  context: CallContext,
): Promise<Result<ComparedRuns, CompareError>> {
  const read = await runsOf(services, [first, second], context);
  if (!read.ok) return read;
  const [one, other] = read.value as [NamedRun, NamedRun];
  const comparison = compareRuns(one.summary, other.summary);
  return ok({ comparison, markdown: comparisonMarkdown(comparison) });
}

/** Compares entries with the first of them, likewise. */
export async function compareAll(
  services: Services,
  ids: readonly number[],
  context: CallContext,
): Promise<Result<ComparedSeries, CompareError>> {
  const read = await runsOf(services, ids, context);
  if (!read.ok) return read;
  const series = compareSeries(read.value);
  return ok({ series, markdown: seriesMarkdown(series) });
}

async function runsOf(
  services: Services,
  ids: readonly number[],
  context: CallContext,
): Promise<Result<readonly NamedRun[], CompareError>> {
  const runs: NamedRun[] = [];
  for (const [at, id] of ids.entries()) {
    const run = await runOf(services, id, partOf(context, at, ids.length));
    if (!run.ok) return run;
    runs.push(run.value);
  }
  return ok(runs);
}

async function runOf(
  services: Services,
  id: number,
  context: CallContext,
): Promise<Result<NamedRun, CompareError>> {
  const { traces } = services;
  const opened = await openInvestigation(services, id, context);
  if (!opened.ok) return opened;
  const { traceId, investigation } = opened.value;
  try {
    context.progress({ text: 'Working out its steps' });
    const summary = await askTrace(traces, traceId, context, ({ client }) =>
      client.call('trace.runSummary', {}),
    );
    return summary.ok ? ok({ name: investigation.name, summary: summary.value }) : summary;
  } finally {
    traces.close(traceId);
  }
}

/** One part of so many of the whole. */
function partOf(context: CallContext, part: number, parts: number): CallContext {
  const progress = ({ fraction, text }: Progress) =>
    context.progress({
      text: `Run ${part + 1} of ${parts}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
      ...(fraction !== undefined && { fraction: (part + fraction) / parts }),
    });
  return { ...context, progress };
}
