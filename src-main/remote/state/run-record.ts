import { z } from 'zod';
import { type CaptureRequest, captureRequest } from '../../shared/remote/capture-request.ts';
import { describeTarget } from '../../shared/remote/describe-target.ts';
import { hostTarget } from '../../shared/remote/host-target.ts';
import { measuredClock } from '../../shared/remote/measured-clock.ts';
import { runId } from '../../shared/remote/run.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What was asked for, without the arguments of a command and what its environment holds: they may be secrets. */
export function withoutArguments(request: CaptureRequest): CaptureRequest {
  if (request.target.kind !== 'command') return request;
  const { environment: _, ...target } = request.target;
  return { ...request, target: { ...target, line: describeTarget(target) } };
}

/** A capture as it is kept on this disk until it is done with: `runs/‹id›/run.json`, 0600. No secrets. */
export const runRecord = z.strictObject({
  v: z.literal(1),
  /** Ours, made before the agent is started; its folder on the host is `captures/‹id›`. */
  id: runId,
  /** The agent's own; absent while it is not known whether the capture began. */
  agentRun: runId.optional(),
  label: z.string(),
  /** `user@address:port`. */
  address: z.string(),
  target: hostTarget,
  bootId: z.string(),
  /** As the host was checked; absent where it did not say what time it is. */
  clock: measuredClock.optional(),
  startedAt: z.string(),
  /** Of what, in words. */
  what: z.string(),
  request: captureRequest,
  /** On the host. */
  baseFolder: z.string(),
  agentPath: z.string(),
  /** Its `--run-dir`; absent while it is not known. */
  runBase: z.string().optional(),
  traceFile: z.string(),
  asRoot: z.boolean(),
  phase: z.enum([
    'starting',
    'recording',
    'stopping',
    'recorded',
    'bringing',
    'brought',
    'cleaned',
    'abandoned',
  ]),
  /** How it ended. */
  message: z.string().optional(),
  tone: z.enum(['ok', 'warn', 'fail']),
  investigation: z.number().int().positive().optional(),
  /** Whether a command of ours outlived its capture. */
  jobRunning: z.boolean().optional(),
  /** Left on the host, as last heard. */
  bytesOnHost: z.number().int().nonnegative().optional(),
  /** Of the whole trace, where its recorder ended as it should: more than that is not sent. */
  finalBytes: z.number().int().nonnegative().optional(),
});
export type RunRecord = z.infer<typeof runRecord>;

/** What of a trace is here and proved: `runs/‹id›/transfer.json`, beside `trace.part`. */
export const transferRecord = z.strictObject({
  v: z.literal(1),
  /** Which file it is on the host; another one begins anew. */
  file: z.strictObject({
    bytes: z.number().int().nonnegative(),
    modifiedUnixNs: z.string(),
    inode: z.string(),
  }),
  frameBytes: z.number().int().positive(),
  /** SHA-256 of frame n of the trace, hex; null: not here. */
  frames: z.array(hash.nullable()),
});
export type TransferRecord = z.infer<typeof transferRecord>;
