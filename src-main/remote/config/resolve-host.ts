import type { ConnectError } from '../../shared/remote/connection.ts';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import type { Result } from '../../shared/result.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import type { ResolvedHost } from './resolved-host.ts';

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

/** `target` with all that the SSH configuration says of it and of the hops before it. Never throws. */
export function resolveHost(
  target: HostTarget,
  options: ResolveOptions,
): Promise<Result<ResolvedHost, ConnectError | 'cancelled'>> {
  throw new Error(`not written yet: ${target.name} ${options.environment.homeFolder}`);
}
