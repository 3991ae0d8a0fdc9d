import { compareRuns } from '../../compare/compare-runs.ts';
import { compareSeries, type NamedRun } from '../../compare/compare-series.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import { flameDifference } from '../../compare/flame-difference.ts';
import { flameDifferenceMarkdown } from '../../compare/flame-difference-markdown.ts';
import { seriesMarkdown } from '../../compare/series-markdown.ts';
import { runBegins, stepSeries } from '../../compare/step-series.ts';
import type { CallError } from '../../contract/contract.ts';
import type { RunFlame } from '../../shared/answers/flame-difference.ts';
import type { RunSummary } from '../../shared/answers/run-summary.ts';
import type {
  ComparedFlames,
  ComparedRuns,
  ComparedSeries,
} from '../../shared/contract/library-calls.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { foldersOfSameNames, nameInFolder } from '../../shared/library/same-names.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { traceFileErrors } from '../../shared/rpc/trace-file-errors.ts';
import type { Services } from '../services/services.ts';
import { type Ask, askEach } from './ask-each.ts';

type CompareError = CallError<'library.compare'>;

/** Compares two entries of the library. No trace stays open: what is compared of it is small. */
export async function compareInvestigations(
  services: Services,
  first: number,
  second: number,
  context: CallContext,
): Promise<Result<ComparedRuns, CompareError>> {
  const read = await allOf(services, [first, second], context, askRun);
  if (!read.ok) return read;
  const [one, other] = read.value as [EntryRun, EntryRun];
  const comparison = compareRuns(one.summary, other.summary);
  const steps = stepSeries(one.summary, other.summary);
  const markdown = comparisonMarkdown(comparison);
  const begins = runBegins(one.summary, other.summary);
  return ok({ comparison, markdown, begins, ...(steps && { steps }) });
}

/** Compares entries with the first of them, likewise. Others whose files can't be read are left out, each with a sentence. */
export async function compareAll(
  services: Services,
  ids: readonly number[],
  context: CallContext,
): Promise<Result<ComparedSeries, CompareError>> {
  const read = await askEach(services, ids, context, askRun, ({ code }) => isOfFile(code));
  if (!read.ok) return read;
  const [first] = read.value;
  if (first?.ok === false) return first;
  const runs = byFolders(read.value.flatMap((run) => (run.ok ? [run.value] : [])));
  const failures = read.value.flatMap((run) => (run.ok ? [] : [run.error]));
  const [failure] = failures;
  if (runs.length < 2 && failure !== undefined) return { ok: false, error: failure };
  const series = compareSeries(runs);
  const leftOut = failures.map(({ message }) => message);
  return ok({ series, leftOut, markdown: seriesMarkdown(series, leftOut) });
}

const isOfFile = (code: string): boolean => traceFileErrors.some((each) => each === code);

/** The stacks of two entries in one tree, likewise. */
export async function compareFlames(
  services: Services,
  ids: readonly [first: number, second: number],
  weight: FlameWeight,
  context: CallContext,
): Promise<Result<ComparedFlames, CompareError>> {
  const read = await allOf(services, ids, context, async ({ name }, client, { progress }) => {
    progress({ text: 'Collecting its stacks' });
    const flame = await client.call('trace.runFlame', { weight });
    return flame.ok ? flame : fail(flame.error.code, `“${name}”: ${flame.error.message}`);
  });
  if (!read.ok) return read;
  const [first, second] = read.value as [RunFlame, RunFlame];
  const difference = flameDifference(first, second);
  return ok({ difference, markdown: flameDifferenceMarkdown(difference) });
}

interface EntryRun {
  readonly entry: Investigation;
  readonly summary: RunSummary;
}

const askRun: Ask<EntryRun> = async (entry, client, { progress }) => {
  progress({ text: 'Working out its steps' });
  const summary = await client.call('trace.runSummary', {});
  return summary.ok ? ok({ entry, summary: summary.value }) : summary;
};

/** Runs by their names, and those of one name by their folders too. */
function byFolders(runs: readonly EntryRun[]): readonly NamedRun[] {
  const folders = foldersOfSameNames(runs.map(({ entry }) => entry));
  return runs.map(({ entry: { id, name }, summary }) => ({
    name: nameInFolder(name, folders.get(id)),
    summary,
  }));
}

/** An answer of each entry, or why one has none. */
async function allOf<T>(
  services: Services,
  ids: readonly number[],
  context: CallContext,
  ask: Ask<T>,
): Promise<Result<readonly T[], CompareError>> {
  const asked = await askEach(services, ids, context, ask);
  if (!asked.ok) return asked;
  return ok(asked.value.flatMap((each) => (each.ok ? [each.value] : [])));
}
