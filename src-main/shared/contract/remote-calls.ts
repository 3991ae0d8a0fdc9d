import { z } from 'zod';
import type { Investigation } from '../library/investigation.ts';
import type { CaptureOrigin } from '../remote/capture-origin.ts';
import { captureRequest } from '../remote/capture-request.ts';
import { type ConnectedHost, connectErrors, hostErrors } from '../remote/connection.ts';
import {
  type HostList,
  type HostTarget,
  hostTarget,
  type KnownHost,
} from '../remote/host-target.ts';
import type { HostProcesses, Preflight } from '../remote/preflight.ts';
import { type Keeping, remoteAnswer } from '../remote/questions.ts';
import { type CleanUpReport, type Run, runId } from '../remote/run.ts';
import type { KeptSecret } from '../remote/secret-store.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';

const nothing = z.strictObject({});
/** Chosen by the caller, so that it knows the questions that are meant for it. */
const connection = z.uuid();
const byConnection = z.strictObject({ connection });
const byRun = z.strictObject({ run: runId });

const storeErrors = ['state-unwritable', 'not-found'] as const;
/** Another window of this or another Stalltrace has the run in hand. */
const runErrors = ['no-such-run', 'run-busy', 'state-unwritable', ...hostErrors] as const;

export const remoteCalls = {
  /** Hosts of the SSH configuration and saved ones. */
  'remote.hosts': call(nothing, returns<HostList>(), 'config-unreadable'),
  /** Reads a pasted `ssh -p 2222 -J bastion user@host`. */
  'remote.parseTarget': call(
    z.strictObject({ text: z.string().max(4096) }),
    returns<HostTarget>(),
    'bad-target',
  ),
  'remote.saveHost': call(
    z.strictObject({
      id: z.uuid().optional(),
      label: z.string().trim().min(1).max(120),
      target: hostTarget,
    }),
    returns<KnownHost>(),
    ...storeErrors,
  ),
  /** Takes a saved host off the list, with what was kept of its passwords. */
  'remote.forgetHost': call(z.strictObject({ id: z.uuid() }), returns<null>(), ...storeErrors),
  /**
   * Signs in. What it needs a person for comes as `remote.question`; a lost link is made anew
   * (`remote.link`) until `remote.disconnect`, or until a person is needed.
   */
  'remote.connect': call(
    z.strictObject({ connection, target: hostTarget, label: z.string().max(255).optional() }),
    returns<ConnectedHost>(),
    ...connectErrors,
  ),
  'remote.answer': call(
    z.strictObject({ question: z.uuid(), answer: remoteAnswer }),
    returns<null>(),
    'not-found',
  ),
  /** What is kept in the system's safe storage, and whether anything can be. */
  'remote.keptSecrets': call(
    nothing,
    returns<{ readonly keeping: Keeping; readonly kept: readonly KeptSecret[] }>(),
  ),
  /** Forgets all of it. */
  'remote.forgetSecrets': call(nothing, returns<null>(), 'state-unwritable'),
  'remote.disconnect': call(byConnection, returns<null>()),
  /** Tries at once what a lost link would try later. */
  'remote.retry': call(byConnection, returns<null>(), 'not-connected'),
  /** Looks at the host, puts the agent there, and has it try what it can. */
  'remote.preflight': call(byConnection, returns<Preflight>(), ...hostErrors),
  'remote.processes': call(byConnection, returns<HostProcesses>(), ...hostErrors),
  /** Returns once it records; from then on `remote.run` tells. */
  'remote.start': call(
    z.strictObject({ connection, request: captureRequest }),
    returns<Run>(),
    'bad-capture',
    'state-unwritable',
    ...hostErrors,
  ),
  /** All captures that this user's data folder knows and that are not done with, newest first. */
  'remote.runs': call(nothing, returns<readonly Run[]>(), 'state-unwritable'),
  /** Where a run's host is, to connect to it again, and how it was begun. */
  'remote.runTarget': call(byRun, returns<CaptureOrigin>(), 'no-such-run'),
  /** Takes a run up again over a connection to its host, after the app was closed or the link lost. */
  'remote.attach': call(z.strictObject({ connection, run: runId }), returns<Run>(), ...runErrors),
  'remote.stop': call(byRun, returns<Run>(), ...runErrors),
  /** Brings the trace back, adds it to the library, and cleans up on the host. Cancelling keeps what is here. */
  'remote.bringBack': call(
    byRun,
    returns<{ readonly investigation: Investigation; readonly cleanUp?: CleanUpReport }>(),
    'disk-full',
    'trace-damaged',
    'trace-gone',
    'host-broke-word',
    'library-unavailable',
    ...runErrors,
  ),
  /** Ends the capture, never its job, and deletes it on the host. */
  'remote.abandon': call(byRun, returns<CleanUpReport>(), ...runErrors),
  /** Removes what of ours is left on a host: of runs that are done with, and the agent. */
  'remote.cleanUp': call(byConnection, returns<CleanUpReport>(), ...hostErrors),
  /** Takes a run off the list whose host is gone for good; nothing is deleted anywhere. */
  'remote.forgetRun': call(byRun, returns<null>(), 'no-such-run', 'run-busy', 'state-unwritable'),
} as const satisfies CallTable;
