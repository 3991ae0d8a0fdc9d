import type { CleanUpReport } from '../../shared/remote/run.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { onHost } from './on-host.ts';
import type { HostSession } from './remote-session.ts';

const USAGE = `Removes what Stalltrace left on a host: of captures that are done with, and the agent. Captures that
still run, or whose trace is not here yet, stay.`;

/** `stalltrace clean HOST`; the exit code. */
export function clean(args: readonly string[], startFolder: string): Promise<number> {
  return onHost({ name: 'clean', usage: USAGE, run: cleanHost }, args, startFolder);
}

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

/** What of ours is left on a host, and what is gone. */
export function cleanUpText(host: string, { freedBytes, left }: CleanUpReport): string {
  const on = cleanText(host, 200);
  const freed = `${formatBytes(freedBytes)} freed`;
  if (left.length === 0) return `Nothing of Stalltrace is left on ${on}: ${freed}.`;
  return [
    `On ${on} ${freed}. Left there:`,
    ...left.map(({ path, why }) => `  ${cleanText(path, 1000)}: ${cleanText(why, 500)}`),
  ].join('\n');
}
