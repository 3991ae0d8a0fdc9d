import { compareRuns } from '../../compare/compare-runs.ts';
import { compareSeries, type NamedRun } from '../../compare/compare-series.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import { flameDifference } from '../../compare/flame-difference.ts';
import { flameDifferenceMarkdown } from '../../compare/flame-difference-markdown.ts';
import { seriesMarkdown } from '../../compare/series-markdown.ts';
import { runBegins, stepSeries } from '../../compare/step-series.ts';
import type { CallError } from '../../contract/contract.ts';
import type { RunFlame } from '../../shared/answers/flame-difference.ts';
import type {
  ComparedFlames,
  ComparedRuns,
  ComparedSeries,
} from '../../shared/contract/library-calls.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, Progress } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';
import type { TraceClient } from '../traces/held-trace.ts';
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
  const steps = stepSeries(one.summary, other.summary);
  const markdown = comparisonMarkdown(comparison);
  const begins = runBegins(one.summary, other.summary);
  return ok({ comparison, markdown, begins, ...(steps && { steps }) });
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

/** The stacks of two entries in one tree, likewise. */
export async function compareFlames(
  services: Services,
  ids: readonly [first: number, second: number],
  weight: FlameWeight,
  context: CallContext,
): Promise<Result<ComparedFlames, CompareError>> {
  const read = await fromEach(services, ids, context, async ({ name }, client, { progress }) => {
    progress({ text: 'Collecting its stacks' });
    const flame = await client.call('trace.runFlame', { weight });
    return flame.ok ? flame : fail(flame.error.code, `“${name}”: ${flame.error.message}`);
  });
  if (!read.ok) return read;
  const [first, second] = read.value as [RunFlame, RunFlame];
  const difference = flameDifference(first, second);
  return ok({ difference, markdown: flameDifferenceMarkdown(difference) });
}

function runsOf(
  services: Services,
  ids: readonly number[],
  context: CallContext,
): Promise<Result<readonly NamedRun[], CompareError>> {
  return fromEach(services, ids, context, async ({ name }, client, { progress }) => {
    progress({ text: 'Working out its steps' });
    const summary = await client.call('trace.runSummary', {});
    return summary.ok ? ok({ name, summary: summary.value }) : summary;
  });
}

type Ask<T> = (
  investigation: Investigation,
  client: TraceClient,
  context: CallContext,
) => Promise<Result<T, CompareError>>;

/** One answer of each entry, which is opened for it and closed again. */
async function fromEach<T>(
  services: Services,
  ids: readonly number[],
  context: CallContext,
  ask: Ask<T>,
): Promise<Result<readonly T[], CompareError>> {
  const answers: T[] = [];
  for (const [at, id] of ids.entries()) {
    const answer = await fromOne(services, id, partOf(context, at, ids.length), ask);
    if (!answer.ok) return answer;
    answers.push(answer.value);
  }
  return ok(answers);
}

async function fromOne<T>(
  services: Services,
  id: number,
  context: CallContext,
  ask: Ask<T>,
): Promise<Result<T, CompareError>> {
  const { traces } = services;
  const opened = await openInvestigation(services, id, context);
  if (!opened.ok) return opened;
  const { traceId, investigation } = opened.value;
  try {
    return await askTrace(traces, traceId, context, ({ client }) =>
      ask(investigation, client, context),
    );
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
