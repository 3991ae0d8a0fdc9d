import { ok, type Result } from '../../shared/rpc/result.ts';
import { EXIT_FAILURE, EXIT_SAMPLED } from '../exit-codes.ts';
import { onHost } from './on-host.ts';
import { preflightText } from './preflight-text.ts';
import type { HostSession } from './remote-session.ts';

const USAGE = `What can be captured on a host, and what not and why; and which processes use its GPUs. Puts the
agent there to try it, and takes it away again. Exit code 0: full captures, ${EXIT_SAMPLED}: sampled ones only,
1: none.`;

/** `stalltrace check HOST`; the exit code. */
export function check(args: readonly string[], startFolder: string): Promise<number> {
  return onHost({ name: 'check', usage: USAGE, run: printCheck }, args, startFolder);
}

async function printCheck(host: HostSession): Promise<Result<number>> {
  const { app, connection, context, speaker } = host;
  const preflight = await app.handlers['remote.preflight']({ connection }, context);
  if (!preflight.ok) return preflight;
  speaker.step('Listing the processes');
  const listed = await app.handlers['remote.processes']({ connection }, context);
  if (!listed.ok && context.signal.aborted) return listed;
  const processes = listed.ok ? listed.value : undefined;
  speaker.print(preflightText(preflight.value, processes), {
    event: 'preflight',
    preflight: preflight.value,
    ...(processes !== undefined && { processes }),
  });
  return ok({ full: 0, sampled: EXIT_SAMPLED, none: EXIT_FAILURE }[preflight.value.mode]);
}
