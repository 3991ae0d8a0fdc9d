import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { openForReading } from '../../archive/is-archive.ts';
import type { CallError } from '../../contract/contract.ts';
import {
  type BenchmarkFile,
  claimsBenchmark,
  MAX_BENCHMARK_LENGTH,
  parseBenchmarkResult,
} from '../../shared/answers/benchmark-result.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import { typedPath } from '../paths/typed-path.ts';
import type { Services } from '../services/services.ts';

/** A file that is no JSON is told by this much of it. */
const FIRST_BYTES = 64;

/** Whether the file says of itself that the benchmark script wrote it. */
export async function claimsBenchmarkFile(path: string): Promise<boolean> {
  try {
    const begin = await readBegin(path, FIRST_BYTES);
    return begin?.trimStart()[0] === '{' && claimsBenchmark((await readBegin(path)) ?? '');
  } catch {
    return false;
  }
}

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
    const text = await readBegin(allowed.value);
    const result = parseBenchmarkResult(text ?? '', fileName);
    return result.ok ? ok({ fileName, result: result.value }) : result;
  } catch (thrown) {
    const message = `“${fileName}” could not be read: check that it is still there.`;
    return fail('file-unreadable', message, describeThrown(thrown));
  }
}

const nameOf = (path: string) => cleanText(basename(path), 200);

/** Enough of a plain file to see that it is too large; undefined of anything else. */
async function readBegin(
  path: string,
  maxBytes = MAX_BENCHMARK_LENGTH + 1,
): Promise<string | undefined> {
  const file = await openForReading(path);
  try {
    return (await file.stat()).isFile() ? await read(file, maxBytes) : undefined;
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, maxBytes: number): Promise<string> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.toString('utf8', 0, length);
}
