import { z } from 'zod';
import type { BenchmarkFile } from '../answers/benchmark-result.ts';
import { pictureRequest, reportRequest } from '../answers/report.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { hostPath } from './library-calls.ts';

const reportErrors = ['not-open', 'not-found', 'process-lost', 'library-unavailable'] as const;

export const reportCalls = {
  /** A finding as GitHub Markdown. */
  'report.markdown': call(reportRequest, returns<{ readonly text: string }>(), ...reportErrors),
  /** What the benchmark script measured, from the JSON file that it wrote; the file stays where it is. */
  'report.benchmarkResult': call(
    z.strictObject({ path: hostPath }),
    returns<BenchmarkFile>(),
    'path-not-allowed',
    'file-unreadable',
    'not-a-benchmark',
  ),
  /** The timeline as one SVG file that needs nothing beside it. */
  'report.picture': call(pictureRequest, returns<{ readonly svg: string }>(), ...reportErrors),
} as const satisfies CallTable;
