import { ok, type Result } from '../../shared/rpc/result.ts';
import { defineHostCommand } from '../remote/host-command.ts';
import type { HostSession } from '../remote/remote-session.ts';
import { cleanUpText } from '../texts/clean-up-text.ts';

export const clean = defineHostCommand({
  name: 'clean',
  summary: 'remove what Stalltrace left on a host',
  description: `Removes what Stalltrace left on a host: of finished captures, and the agent. Captures that
still run, or whose trace is not here yet, stay.`,
  run: cleanHost,
});

async function cleanHost({
  app,
  connection,
  context,
  speaker,
  host,
}: HostSession): Promise<Result<number>> {
  speaker.step('Cleaning up');
  const cleaned = await app.handlers['remote.cleanUp']({ connection }, context);
  if (!cleaned.ok) return cleaned;
  const cleanUp = cleaned.value;
  speaker.print(cleanUpText(host.label, cleanUp), { event: 'cleaned', cleanUp });
  return ok(0);
}
