import { z } from 'zod';
import { pictureRequest, reportRequest } from '../report.ts';
import { type CallTable, defineCall as call, returns } from '../rpc.ts';

const reportErrors = ['not-open', 'not-found', 'process-lost', 'library-unavailable'] as const;

export const reportCalls = {
  /** A finding as GitHub Markdown. */
  'report.markdown': call(reportRequest, returns<{ readonly text: string }>(), ...reportErrors),
  /** A Python script that measures the job's loader again, with the numbers of this trace to try. */
  'report.benchmarkScript': call(
    z.strictObject({ traceId: z.uuid() }),
    returns<{ readonly text: string }>(),
    'not-open',
    'process-lost',
  ),
  /** The timeline as one SVG file that needs nothing beside it. */
  'report.picture': call(pictureRequest, returns<{ readonly svg: string }>(), ...reportErrors),
} as const satisfies CallTable;
