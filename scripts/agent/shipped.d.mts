import type { Build, BuildResult } from './build.mjs';

export interface Manifest {
  readonly sources: string;
  readonly builds: readonly Build[];
}
export function readManifest(root: string): { readonly manifest?: Manifest };
export function shippedProblems(
  root: string,
  sources: string,
): { readonly problems: readonly string[]; readonly isStale?: boolean };
export function writeShipped(
  root: string,
  sources: string,
  built: readonly NonNullable<BuildResult['built']>[],
): { readonly path: string; readonly bytes: number }[];
