import { ok, type Result } from '../../shared/rpc/result.ts';
import { EXIT_FAILURE, EXIT_SAMPLED } from '../output/exit-codes.ts';
import { defineHostCommand } from '../remote/host-command.ts';
import type { HostSession } from '../remote/remote-session.ts';
import { preflightText } from '../texts/preflight-text.ts';

export const check = defineHostCommand({
  name: 'check',
  summary: 'what can be captured on a GPU host, over SSH',
  description: `What can be captured on a host, and what not and why; and which processes use its GPUs. Puts the
agent there to try it, and takes it away again. Exit code 0: full captures, ${EXIT_SAMPLED}: sampled ones only,
1: none.`,
  run: printCheck,
});

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
