import {
  claimsTraceMl,
  MAX_TRACEML_LENGTH,
  parseTraceMlSummary,
  type TraceMlFile,
} from '../library/traceml-summary.ts';
import { fail, ok, type Result } from '../rpc/result.ts';
import { cleanText } from '../text/text.ts';
import {
  type BenchmarkFile,
  claimsBenchmark,
  MAX_BENCHMARK_LENGTH,
  parseBenchmarkResult,
} from './benchmark-result.ts';

/** What is opened beside a trace and is none: a result of the benchmark script, a summary by TraceML. */
export type BesideFile =
  | ({ readonly kind: 'benchmark' } & BenchmarkFile)
  | ({ readonly kind: 'traceml' } & TraceMlFile);

/** Of a file, as much as tells what it is, and one character more than the longest one has. */
export const MAX_BESIDE_LENGTH = Math.max(MAX_BENCHMARK_LENGTH, MAX_TRACEML_LENGTH);

const names = { benchmark: 'a result of the benchmark script', traceml: 'a summary by TraceML' };

/** Which of them a text says it is; undefined: none. */
export function kindBeside(text: string): BesideFile['kind'] | undefined {
  if (claimsBenchmark(text)) return 'benchmark';
  return claimsTraceMl(text) ? 'traceml' : undefined;
}

/** What is said where a trace is expected. */
export function isNoTrace(
  kind: BesideFile['kind'],
  fileName: string,
): Result<never, 'file-goes-beside'> {
  const what = `“${cleanText(fileName, 200)}” is ${names[kind]}, not a trace`;
  const next =
    kind === 'benchmark'
      ? 'open it alone, in the app, to see it'
      : 'open a trace of the same run in the app, then this file, or run `stalltrace compare TRACE SUMMARY`';
  return fail('file-goes-beside', `${what}: ${next}.`);
}

/** Reads one that somebody gave us; the text may be anything. `name` is made fit to be shown. */
export function parseBeside(text: string, name: string): Result<BesideFile, 'beside-damaged'> {
  const fileName = cleanText(name, 200);
  switch (kindBeside(text)) {
    case 'traceml': {
      const summary = parseTraceMlSummary(text, fileName);
      return summary.ok ? ok({ kind: 'traceml', fileName, summary: summary.value }) : summary;
    }
    default: {
      const result = parseBenchmarkResult(text, fileName);
      return result.ok ? ok({ kind: 'benchmark', fileName, result: result.value }) : result;
    }
  }
}
