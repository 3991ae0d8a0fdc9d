import type { Api } from '../../../src-main/contract/api.ts';
import {
  type BenchmarkFile,
  claimsBenchmark,
  MAX_BENCHMARK_LENGTH,
  parseBenchmarkResult,
} from '../../../src-main/shared/answers/benchmark-result.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** The benchmark script of the trace on the screen, and the result that was opened last. */
export class BenchmarkState {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #opened = $state.raw<BenchmarkFile | undefined>();

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  /** The result that is shown, until closed. */
  get opened(): BenchmarkFile | undefined {
    return this.#opened;
  }

  show(file: BenchmarkFile): void {
    this.#opened = file;
  }

  close(): void {
    this.#opened = undefined;
  }

  /** The script as Python. */
  async script(): Promise<Result<string>> {
    const traceId = this.#investigation.opened?.traceId;
    if (traceId === undefined) return fail('not-open', 'No trace is open: open one first.');
    const script = await this.#api.call('report.benchmarkScript', { traceId });
    return script.ok ? ok(script.value.text) : script;
  }
}

/** The result in a file that the page was given; undefined of a file that does not claim to be one. */
export async function readBenchmark(
  file: File,
): Promise<Result<BenchmarkFile, 'not-a-benchmark'> | undefined> {
  // A file that is gone is for the host to tell of.
  const text = await file
    .slice(0, MAX_BENCHMARK_LENGTH + 1)
    .text()
    .catch(() => '');
  if (!claimsBenchmark(text)) return undefined;
  const fileName = cleanText(file.name, 200);
  const parsed = parseBenchmarkResult(text, fileName);
  return parsed.ok ? ok({ fileName, result: parsed.value }) : parsed;
}
