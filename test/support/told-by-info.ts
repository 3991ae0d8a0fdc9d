import { expect } from 'vitest';
import type { Notice, Provenance } from '../../src-main/shared/model/trace.ts';
import { runCli } from './run-cli.ts';

/** Of what `info --json` prints (docs/cli.md), the figures that tests compare with what others worked out. */
export interface ToldByInfo {
  readonly version: string;
  readonly machine: { readonly gpus: readonly { readonly model: string }[] };
  readonly timeRange: { readonly beginUnixNs: number | string };
  readonly tables: Readonly<
    Record<string, { readonly rows: number; readonly provenance: Provenance }>
  >;
  readonly gpuWorked: readonly {
    readonly gpu: number;
    readonly busyNs: number;
    readonly kernelNs: number;
  }[];
  readonly processes: readonly { readonly rank?: number; readonly worldSize?: number }[];
  readonly threads: readonly { readonly tid: number; readonly offCpuNs?: number }[];
  readonly operations: readonly ToldOperation[];
  readonly notices: readonly Notice[];
}

export interface ToldOperation {
  readonly source: string;
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly totalNs: number;
}

/** What the command line tells of the trace file at `path`. */
export function toldByInfo(path: string, folder: string): ToldByInfo {
  const { code, stdout, stderr } = runCli(['info', path, '--json'], folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as ToldByInfo;
}
