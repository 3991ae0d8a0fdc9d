import type { HostTarget } from '../../shared/remote/host-target.ts';
import type { Result } from '../../shared/result.ts';

/** Reads what a person pastes: an `ssh` line, `user@host:port`, `ssh://user@host:port`. No shell sees it. */
export function parseTarget(text: string): Result<HostTarget, 'bad-target'> {
  throw new Error(`not written yet: ${text}`);
}
