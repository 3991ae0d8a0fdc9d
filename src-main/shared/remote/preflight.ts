import type { BestMode } from '../capture-modes/modes.ts';

/** What rows of the preflight table are about; its title there. In the table's order. */
export const PREFLIGHT_GROUPS = {
  kernel: 'Machine and kernel',
  rights: 'Rights',
  ways: 'What a capture is made from',
  gpu: 'GPU and PyTorch',
  resources: 'Resources',
  captures: 'Stalltrace on this host',
} as const;

/** One line of the preflight table. */
export interface PreflightRow {
  /** Rows come in the order of the groups. */
  readonly group: keyof typeof PREFLIGHT_GROUPS;
  /** Stable, kebab-case: `btf`, `sudo`, `gpu`, … */
  readonly id: string;
  readonly label: string;
  readonly status: 'ok' | 'info' | 'warn' | 'fail';
  /** What is so: one sentence. */
  readonly detail: string;
  /** What to do about it; absent where nothing needs doing. */
  readonly next?: string;
}

/** How the agent gets root's rights on a host. */
export type Privilege =
  | 'root'
  | 'sudo'
  | 'sudo-password'
  /** sudo is there, the password was not given or was wrong. */
  | 'sudo-declined'
  | 'not-sudoer'
  | 'no-sudo';

export interface Preflight {
  readonly rows: readonly PreflightRow[];
  /** The best that can be had here; `none`: nothing can be captured. */
  readonly mode: BestMode;
  /** What can be had here, in one sentence: "Full capture needs a VM; this works now." */
  readonly headline: string;
  /** What the mode sees and what it can't, in words; of `full` what is missing on this host. */
  readonly sees: readonly string[];
  readonly cannotSee: readonly string[];
  readonly privilege: Privilege;
  readonly agent: {
    readonly version: string;
    readonly arch: string;
    /** On the host. */
    readonly path: string;
    /** Whether it was put there just now. */
    readonly uploaded: boolean;
    readonly sizeBytes: number;
  };
  readonly host: {
    readonly hostName: string;
    readonly kernel: string;
    readonly cpus: number;
    readonly gpus: readonly string[];
    /** Of the place that traces go to. */
    readonly freeBytes: number;
    /** Host's clock − this machine's. */
    readonly clockOffsetMs: number;
  };
  /** Captures that run there, ours or another's. */
  readonly running: readonly {
    readonly runId: string;
    readonly ours: boolean;
    readonly text: string;
  }[];
}

/** A process of the live list. */
export interface HostProcess {
  readonly pid: number;
  readonly parent: number;
  /** Name of the program or thread. */
  readonly name: string;
  /** Without what looks like a secret; may be cut. */
  readonly commandLine: string;
  readonly user: string;
  /** In words of `ROLE_LABELS`: `main`, `dataloader-worker`, … */
  readonly role: string;
  readonly usesGpu: boolean;
  /** Of GPU memory; absent: not known. */
  readonly gpuMemoryBytes?: number;
  /** Whether it maps libcudart or libcuda. */
  readonly mapsCuda: boolean;
  /** Unix ms; absent: not known. */
  readonly startedAtMs?: number;
  readonly children: readonly HostProcess[];
}

export interface HostProcesses {
  /** Trees, those on a GPU first. */
  readonly trees: readonly HostProcess[];
  /** Where the GPUs' processes could not be asked for: why. */
  readonly gpuDetail?: string;
}
