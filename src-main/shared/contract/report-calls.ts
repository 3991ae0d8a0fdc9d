import { z } from 'zod';
import type { BesideFile } from '../answers/beside-file.ts';
import { pictureRequest, reportRequest } from '../answers/report.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { hostPath } from './library-calls.ts';

const reportErrors = ['not-open', 'not-found', 'process-lost', 'library-unavailable'] as const;

export const reportCalls = {
  /** A finding as GitHub Markdown. */
  'report.markdown': call(reportRequest, returns<{ readonly text: string }>(), ...reportErrors),
  /** What a file holds that goes beside a trace, such as a result of the benchmark script; null of any other file. It stays where it is. */
  'report.beside': call(
    z.strictObject({ path: hostPath }),
    returns<BesideFile | null>(),
    'path-not-allowed',
    'file-unreadable',
    'beside-damaged',
  ),
  /** The timeline as one SVG file that needs nothing beside it. */
  'report.picture': call(pictureRequest, returns<{ readonly svg: string }>(), ...reportErrors),
} as const satisfies CallTable;
