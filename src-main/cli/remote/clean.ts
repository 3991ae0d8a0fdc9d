import { parseArgs } from 'node:util';
import type { CleanUpReport } from '../../shared/remote/run.ts';
import { ok, type Result } from '../../shared/result.ts';
import { cleanText } from '../../shared/text.ts';
import { formatBytes } from '../../shared/units.ts';
import { optionProblem, wrongUsage } from '../wrong-usage.ts';
import {
  HOST_USAGE,
  type HostOptions,
  hostOptionsOf,
  hostOptionTypes,
  targetOf,
} from './host-options.ts';
import { watchInterrupts } from './interrupts.ts';
import { connectHost, type HostSession, type RemoteSession, withRemote } from './remote-session.ts';
import { createSpeaker } from './speaker.ts';

const USAGE = `Usage: stalltrace clean HOST [--json]

Removes what Stalltrace left on a host: of captures that are done with, and the agent. Captures that
still run, or whose trace is not here yet, stay.

  --json                          one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`;

interface CleanOptions extends HostOptions {
  readonly json: boolean;
}

/** `stalltrace clean HOST`; the exit code. */
export async function clean(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args, startFolder);
  if (typeof options === 'string') return wrongUsage('clean', options);
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const speaker = createSpeaker(options.json);
  return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
    const cleaned = await connectAndClean(session, options);
    return cleaned.ok ? 0 : speaker.fail(cleaned.error);
  });
}

async function connectAndClean(
  session: RemoteSession,
  options: CleanOptions,
): Promise<Result<null>> {
  const target = await targetOf(session.app, options, session.context);
  if (!target.ok) return target;
  const connected = await connectHost(session, target.value, options);
  return connected.ok ? cleanHost(connected.value) : connected;
}

async function cleanHost({
  app,
  connection,
  context,
  speaker,
  host,
}: HostSession): Promise<Result<null>> {
  const cleaned = await app.handlers['remote.cleanUp']({ connection }, context);
  if (!cleaned.ok) return cleaned;
  const cleanUp = cleaned.value;
  speaker.print(cleanUpText(host.label, cleanUp), { event: 'cleaned', cleanUp });
  return ok(null);
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

function parseOptions(
  args: readonly string[],
  startFolder: string,
): CleanOptions | string | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...hostOptionTypes,
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    const host = hostOptionsOf(values, positionals, startFolder);
    return typeof host === 'string' ? host : { ...host, json: values.json };
  } catch (error) {
    return optionProblem(error);
  }
}
