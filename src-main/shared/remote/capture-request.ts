import { z } from 'zod';
import { captureModes, firstMode, modeSpec } from '../capture-modes/modes.ts';
import { captureProfiles } from '../capture-modes/profiles.ts';

const MINUTE = 60;
export const LONGEST_CAPTURE_S = 24 * 60 * MINUTE;
export const LARGEST_CAPTURE_BYTES = 64 * 1024 ** 3;

export const gpuRecordKinds = ['all', 'copies', 'none', 'no-cupti', 'off'] as const;
export type GpuRecords = (typeof gpuRecordKinds)[number];

/** What to capture on a host, and for how long. */
export const captureRequest = z.strictObject({
  target: z.discriminatedUnion('kind', [
    /** These processes and their descendants. */
    z.strictObject({
      kind: z.literal('processes'),
      pids: z.array(z.number().int().positive()).min(1).max(64),
    }),
    /** A line for the signing-in user's shell, run as that user, in `folder` (else the home). */
    z.strictObject({
      kind: z.literal('command'),
      line: z.string().min(1).max(8192),
      folder: z.string().min(1).max(4096).optional(),
      /** `NAME=value`, for the command. */
      environment: z
        .array(
          z
            .string()
            .regex(/^[A-Za-z_]\w*=[^\0]*$/)
            .max(8192),
        )
        .min(1)
        .max(64)
        .optional(),
    }),
    z.strictObject({ kind: z.literal('machine') }),
  ]),
  durationS: z.number().int().min(1).max(LONGEST_CAPTURE_S),
  maxSizeBytes: z
    .number()
    .int()
    .min(1024 ** 2)
    .max(LARGEST_CAPTURE_BYTES),
  profiles: z.array(z.enum(captureProfiles)).max(captureProfiles.length),
  /** CPU samples a second and thread; 0 = none. */
  samplesHz: z.number().int().min(0).max(999),
  mode: z.enum(captureModes),
  /**
   * Of a job, what the GPU did; `no-cupti`: nothing, and CUPTI is left to a profiler of the job's own; `off`: it runs
   * without the agent's library.
   */
  gpuRecords: z.enum(gpuRecordKinds).default('all'),
  /** Of a process that runs: a Python 3.14 is asked to run the line that its user would paste. */
  remotePython: z.boolean().default(false),
  /** Whether the agent stays on the host for the next capture. */
  keepAgent: z.boolean(),
});
export type CaptureRequest = z.infer<typeof captureRequest>;

/** Whether what is captured runs already, and can be recorded from inside all the same. */
export function comesInByLine({
  target,
  mode,
  gpuRecords,
}: Pick<CaptureRequest, 'mode' | 'gpuRecords'> & {
  readonly target: Pick<CaptureRequest['target'], 'kind'>;
}): boolean {
  return target.kind === 'processes' && modeSpec(mode).hasGpuRecords && gpuRecords !== 'off';
}

export const defaultCapture: Omit<CaptureRequest, 'target'> = {
  durationS: MINUTE,
  maxSizeBytes: 4 * 1024 ** 3,
  profiles: [],
  samplesHz: 49,
  mode: firstMode,
  gpuRecords: 'all',
  remotePython: false,
  keepAgent: false,
};
