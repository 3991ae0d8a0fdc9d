import type { BuildResult } from './build.mjs';

export function areAgentsCurrent(root: string): boolean;
export function provideAgents(
  root: string,
  buildHere?: (root: string, arch: string) => BuildResult,
): void;
export function missingSentences(root: string): string[];
