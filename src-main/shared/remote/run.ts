import { z } from 'zod';
import type { CaptureMode } from '../capture-modes/modes.ts';

/** 16 to 64 hex digits. */
export const runId = z.string().regex(/^[0-9a-f]{8,64}$/);

export interface SlowCall {
  readonly name: string;
  readonly pid: number;
  readonly durationNs: number;
  /** 0: not a copy. */
  readonly bytes: number;
  readonly direction: string;
}

/** What a capture has seen so far. Series are one point per line of the agent, oldest first. */
export interface LiveFigures {
  readonly elapsedNs: number;
  /** Of the trace on the host. */
  readonly sizeBytes: number;
  readonly events: number;
  readonly eventsPerSecond: number;
  /** By kind of record; those that are 0 are left out. */
  readonly drops: Readonly<Record<string, number>>;
  /** By table, those that are 0 left out. */
  readonly rows: Readonly<Record<string, number>>;
  /** Of these, how many are recorded from inside now. */
  readonly inside: number;
  readonly processes: number;
  readonly threads: number;
  /** Of one CPU. */
  readonly agentCpuPercent: number | null;
  /** At most SERIES_POINTS; null where not known. */
  readonly cpuPercent: readonly (number | null)[];
  readonly gpuPercent: readonly (number | null)[];
  readonly rates: readonly number[];
  /** The slowest of the capture so far, slowest first, at most 10. */
  readonly slowest: readonly SlowCall[];
  /** Unix ms when the last line came. */
  readonly heardAtMs: number;
}
export const SERIES_POINTS = 240;

export interface TransferProgress {
  readonly totalBytes: number;
  /** Of the trace, verified and on this disk. */
  readonly doneBytes: number;
  /** That crossed the wire, compressed. */
  readonly wireBytes: number;
  /** Of the trace, over the last seconds. */
  readonly bytesPerSecond: number;
  readonly etaS?: number;
  readonly step: 'waiting' | 'downloading' | 'verifying' | 'adding';
}

/**
 * Where a capture is in its life.
 * `recording` → `recorded` → `bringing` → `brought` (then it is in the library) → `cleaned`.
 */
export type RunPhase =
  | 'starting'
  | 'recording'
  | 'stopping'
  | 'recorded'
  | 'bringing'
  | 'brought'
  | 'cleaned'
  | 'abandoned';

/** A capture on a host, as the screen shows it. */
export interface Run {
  readonly id: string;
  /** What the user calls the host. */
  readonly host: string;
  /** `user@address:port`. */
  readonly address: string;
  readonly phase: RunPhase;
  /** Of what: `train.py (pid 4242)`, `python train.py`, `the whole machine`. */
  readonly what: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly mode: CaptureMode;
  /** How the link to its host is now; absent: nobody is connected. */
  readonly link?: 'connected' | 'reconnecting' | 'lost';
  /** How it ended, or what is wrong: a sentence with the next step. */
  readonly message?: string;
  readonly tone: 'ok' | 'warn' | 'fail';
  readonly live?: LiveFigures;
  /** For the user to paste into what runs already, while it is recorded. */
  readonly pastedLine?: string;
  readonly transfer?: TransferProgress;
  readonly durationS: number;
  readonly maxSizeBytes: number;
  /** Whether a job of ours still runs on the host. */
  readonly jobRunning?: boolean;
  /** In the library, once it was brought back. */
  readonly investigation?: number;
  /** Left on the host; absent: not known. 0 once it is cleaned. */
  readonly bytesOnHost?: number;
  /** What the recorder said meanwhile. */
  readonly notices: readonly { readonly level: string; readonly text: string }[];
}

export interface CleanUpReport {
  readonly freedBytes: number;
  /** What of ours is still there, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}
