import type { ConfigEnvironment } from './config-environment.ts';

export interface ResolveOptions {
  readonly environment: ConfigEnvironment;
  /**
   * Whether the commands of `Match exec` may run: asked at most once for a resolution, with all of them
   * as they stand in the files. `false`: read on as if none of them matched. Absent: likewise.
   */
  readonly allowMatchExec?: (
    commands: readonly string[],
    signal: AbortSignal,
  ) => Promise<boolean | 'cancelled'>;
  readonly signal: AbortSignal;
}
