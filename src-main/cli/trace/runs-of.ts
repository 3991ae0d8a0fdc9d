import { basename, join } from 'node:path';
import type { NamedRun } from '../../compare/compare-series.ts';
import { MAX_SERIES_RUNS } from '../../shared/answers/run-series.ts';
import type { RunSummary } from '../../shared/answers/run-summary.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { traceFileErrors } from '../../shared/rpc/trace-file-errors.ts';
import { plural } from '../../shared/text/units.ts';
import { askFiles } from './ask-files.ts';
import { tracesIn } from './traces-in.ts';

export interface FoundRuns {
  readonly runs: readonly NamedRun[];
  /** Files of the folder that could not be read, with the reason. */
  readonly skipped: readonly string[];
}

/**
 * What is compared of each file, in the order in which they are named. A single path is a folder: of that its
 * files, the one recorded earliest first; those that are no trace are skipped.
 */
export async function runsOf(
  paths: readonly string[],
  context: CallContext,
): Promise<Result<FoundRuns>> {
  const [folder, ...more] = paths;
  if (folder !== undefined && more.length === 0) return runsOfFolder(folder, context);
  const names = namesOf(paths);
  const read = await summariesOf(paths, context, () => false);
  if (!read.ok) return read;
  const runs = read.value.flatMap((summary, at) =>
    summary.ok ? [{ name: names[at] ?? '', summary: summary.value }] : [],
  );
  return ok({ runs, skipped: [] });
}

async function runsOfFolder(folder: string, context: CallContext): Promise<Result<FoundRuns>> {
  const found = await tracesIn(folder);
  if (!found.ok) return found;
  const { names } = found.value;
  if (names.length > MAX_SERIES_RUNS)
    return fail(
      'file-unsupported',
      `The folder ${folder} has ${names.length} files, and ${MAX_SERIES_RUNS} at most are compared. Name those that matter.`,
    );
  const paths = names.map((name) => join(folder, name));
  const read = await summariesOf(paths, context, isOfFile);
  if (!read.ok) return read;
  const runs: NamedRun[] = [];
  const skipped = [...found.value.skipped];
  for (const [at, summary] of read.value.entries())
    if (summary.ok) runs.push({ name: names[at] ?? '', summary: summary.value });
    else skipped.push(summary.error.message);
  if (runs.length < 2)
    return fail(
      'file-not-a-trace',
      [
        `The folder ${folder} has ${plural(runs.length, 'trace')}: put at least two there, or name the files.`,
        ...skipped,
      ].join(' '),
    );
  return ok({ runs: runs.toSorted(byTime), skipped });
}

const isOfFile = (code: string) => traceFileErrors.some((each) => each === code);

function byTime({ summary: one }: NamedRun, { summary: other }: NamedRun): number {
  const [a, b] = [BigInt(one.beginUnixNs), BigInt(other.beginUnixNs)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names of files, or their paths where two have one name. */
function namesOf(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => basename(path));
  return new Set(names).size < new Set(paths).size ? paths : names;
}

/** Of each file what is compared, or why it has none where `goesOn` takes that. */
function summariesOf(
  paths: readonly string[],
  context: CallContext,
  goesOn: (code: string) => boolean,
): Promise<Result<readonly Result<RunSummary>[]>> {
  return askFiles(paths, context, goesOn, ({ app, traceId }, _, ofOne) =>
    app.handlers['trace.runSummary']({ traceId }, ofOne),
  );
}
