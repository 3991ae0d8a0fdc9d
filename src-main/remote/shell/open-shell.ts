import { setTimeout } from 'node:timers/promises';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { Channel, ExecError, Transport } from '../transport/transport.ts';

/**
 * Means the same in sh, bash, dash, zsh, ksh, fish, csh and tcsh: what a login shell is given must, for
 * nobody knows which it is. All else goes to this `sh` over its standard input.
 */
const SHELL = 'exec /bin/sh -s';

/**
 * A shell on the host, waiting for its script; codes `link-lost`, `cancelled` when `signal` aborted. Where
 * the server gives no more sessions it waits for one, or fails with `no-more-channels`.
 */
export async function openShell(
  transport: Transport,
  signal: AbortSignal,
  whenFull: 'wait' | 'fail' = 'wait',
): Promise<Result<Channel, ExecError | 'cancelled'>> {
  // MaxSessions: others of ours end theirs.
  for (let waitMs = 30; !signal.aborted; waitMs = Math.min(waitMs * 2, 1000)) {
    const opened = await unlessAborted(transport.exec(SHELL), signal);
    if (opened === undefined) break;
    if (opened.ok) return { ok: true, value: guarded(opened.value) };
    if (opened.error.code === 'link-lost' || whenFull === 'fail') return opened;
    await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return fail('cancelled', 'Cancelled.');
}

/** What opens too late is closed. */
async function unlessAborted(
  opening: Promise<Result<Channel, ExecError>>,
  signal: AbortSignal,
): Promise<Result<Channel, ExecError> | undefined> {
  let stop = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    const first = await Promise.race([opening, aborted]);
    if (first === undefined) {
      void opening.then((late) => {
        if (late.ok) guarded(late.value).close();
      });
    }
    return first;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A channel that breaks says so by its exit: what its streams say of it too is no exception. */
function guarded(channel: Channel): Channel {
  for (const stream of [channel.stdin, channel.stdout, channel.stderr]) {
    stream.on('error', () => {});
  }
  return channel;
}
