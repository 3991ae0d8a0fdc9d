import { basename } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import {
  type BenchmarkFile,
  MAX_BENCHMARK_LENGTH,
  parseBenchmarkResult,
} from '../../shared/answers/benchmark-result.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { readHead } from '../../system/read-head.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import { typedPath } from '../paths/typed-path.ts';
import type { Services } from '../services/services.ts';

/** What is said where a trace is expected. */
export function isNoTrace(path: string): Result<never, 'file-is-benchmark'> {
  const name = nameOf(path);
  return fail(
    'file-is-benchmark',
    `“${name}” is a result of the benchmark script, not a trace: open it alone, in the app, to see it.`,
  );
}

/** Reads the result at a path that a user typed or chose. */
export async function readBenchmarkFile(
  { platform }: Services,
  path: string,
): Promise<Result<BenchmarkFile, CallError<'report.benchmarkResult'>>> {
  const allowed = await allowedPath(platform, typedPath(platform, path).path);
  if (!allowed.ok) return allowed;
  const fileName = nameOf(allowed.value);
  try {
    // One byte more than a result has shows that it is none.
    const head = await readHead(allowed.value, MAX_BENCHMARK_LENGTH + 1);
    const result = parseBenchmarkResult(head?.bytes.toString('utf8') ?? '', fileName);
    return result.ok ? ok({ fileName, result: result.value }) : result;
  } catch (thrown) {
    const message = `“${fileName}” could not be read: check that it is still there.`;
    return fail('file-unreadable', message, describeThrown(thrown));
  }
}

const nameOf = (path: string) => cleanText(basename(path), 200);
