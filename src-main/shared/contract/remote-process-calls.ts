import { z } from 'zod';
import { hostErrors, type LinkState } from '../remote/connection.ts';
import type { RemoteQuestion } from '../remote/questions.ts';
import { type CleanUpReport, type Run, runId } from '../remote/run.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { remoteCalls } from './remote-calls.ts';

/** A trace that was brought back: whole, hashed, on the disk, not yet in the library. */
export interface FetchedTrace {
  readonly path: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

const runErrors = ['no-such-run', 'run-busy', 'state-unwritable', ...hostErrors] as const;

/**
 * What the host asks of the process that speaks SSH. `remote.bringBack` is two calls here, since the
 * library is not its own: `fetch`, then `settle`.
 */
export const remoteProcessCalls = {
  hosts: remoteCalls['remote.hosts'],
  parseTarget: remoteCalls['remote.parseTarget'],
  saveHost: remoteCalls['remote.saveHost'],
  forgetHost: remoteCalls['remote.forgetHost'],
  connect: remoteCalls['remote.connect'],
  answer: remoteCalls['remote.answer'],
  disconnect: remoteCalls['remote.disconnect'],
  retry: remoteCalls['remote.retry'],
  preflight: remoteCalls['remote.preflight'],
  processes: remoteCalls['remote.processes'],
  start: remoteCalls['remote.start'],
  runs: remoteCalls['remote.runs'],
  runTarget: remoteCalls['remote.runTarget'],
  attach: remoteCalls['remote.attach'],
  stop: remoteCalls['remote.stop'],
  abandon: remoteCalls['remote.abandon'],
  cleanUp: remoteCalls['remote.cleanUp'],
  forgetRun: remoteCalls['remote.forgetRun'],
  fetch: call(
    z.strictObject({ run: runId }),
    returns<FetchedTrace>(),
    'disk-full',
    'trace-damaged',
    'trace-gone',
    'host-broke-word',
    ...runErrors,
  ),
  /** The fetched trace is in the library: now what the run left on the host can go, where it is reachable. */
  settle: call(
    z.strictObject({ run: runId, investigation: z.number().int().positive() }),
    returns<{ readonly cleanUp?: CleanUpReport }>(),
    ...runErrors,
  ),
  /** The fetched trace can't be read: it is fetched again the next time. */
  refuse: call(z.strictObject({ run: runId, why: z.string() }), returns<null>(), ...runErrors),
} as const satisfies CallTable;

export type RemoteProcessCalls = typeof remoteProcessCalls;

/** What it tells unasked. */
export interface RemoteProcessEvents {
  question: RemoteQuestion;
  /** Answered, or not needed any more. */
  questionGone: { readonly id: string };
  link: { readonly connection: string; readonly state: LinkState };
  run: Run;
  /** Runs were added to or taken off the list; hosts were saved or forgotten. */
  changed: null;
}
