import {
  type BenchmarkResult,
  currentConfiguration,
} from '../../../src-main/shared/answers/benchmark-result.ts';

/** What the last column compares with. */
export function ratioTitle(result: BenchmarkResult): string {
  return currentConfiguration(result) === undefined ? 'Of the best' : 'Of the current';
}
