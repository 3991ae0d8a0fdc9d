import { parseArgs } from 'node:util';
import { ok, type Result } from '../../shared/result.ts';
import { EXIT_FAILURE, EXIT_SAMPLED } from '../exit-codes.ts';
import { optionProblem, wrongUsage } from '../wrong-usage.ts';
import {
  HOST_USAGE,
  type HostOptions,
  hostOptionsOf,
  hostOptionTypes,
  targetOf,
} from './host-options.ts';
import { watchInterrupts } from './interrupts.ts';
import { preflightText } from './preflight-text.ts';
import { connectHost, type HostSession, type RemoteSession, withRemote } from './remote-session.ts';
import { createSpeaker } from './speaker.ts';

const USAGE = `Usage: stalltrace check HOST [--json]

What can be captured on a host, and what not and why; and which processes use its GPUs. Puts the
agent there to try it, and takes it away again. Exit code 0: full captures, ${EXIT_SAMPLED}: sampled ones only,
1: none.

  --json                          one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`;

interface CheckOptions extends HostOptions {
  readonly json: boolean;
}

/** `stalltrace check HOST`; the exit code. */
export async function check(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args, startFolder);
  if (typeof options === 'string') return wrongUsage('check', options);
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const speaker = createSpeaker(options.json);
  return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
    const code = await checkHost(session, options);
    return code.ok ? code.value : speaker.fail(code.error);
  });
}

async function checkHost(session: RemoteSession, options: CheckOptions): Promise<Result<number>> {
  const target = await targetOf(session.app, options, session.context);
  if (!target.ok) return target;
  const connected = await connectHost(session, target.value, options);
  return connected.ok ? printCheck(connected.value) : connected;
}

async function printCheck(host: HostSession): Promise<Result<number>> {
  const { app, connection, context, speaker } = host;
  const preflight = await app.handlers['remote.preflight']({ connection }, context);
  if (!preflight.ok) return preflight;
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

function parseOptions(
  args: readonly string[],
  startFolder: string,
): CheckOptions | string | undefined {
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
