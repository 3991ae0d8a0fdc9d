import type { HostError } from '../../shared/remote/connection.ts';
import type { Result } from '../../shared/result.ts';
import type { Transport } from '../transport/transport.ts';
import type { ScriptOutput } from './host-session.ts';

export interface ScriptOptions {
  readonly signal: AbortSignal;
  /** 30 s where it is not given. */
  readonly timeoutMs?: number;
}

/**
 * Runs a script for `sh`, whatever the user's login shell is and whatever its rc files print. `words`
 * are its $1, $2 …, quoted here; its standard input is empty. Codes: `no-shell`, `timed-out`,
 * `link-lost`, `cancelled`; a script that ends with another code than 0 is no failure here.
 */
export async function runScript(
  transport: Transport,
  script: string,
  words: readonly string[],
  _options: ScriptOptions,
): Promise<Result<ScriptOutput, HostError | 'cancelled'>> {
  throw new Error(`not written yet: ${transport.kind} ${script} ${words.length}`);
}
