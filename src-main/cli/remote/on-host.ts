import { parseArgs } from 'node:util';
import type { Result } from '../../shared/rpc/result.ts';
import { optionProblem, wrongUsage } from '../wrong-usage.ts';
import { HOST_USAGE, type HostOptions, hostOptionsOf, hostOptionTypes } from './host-options.ts';
import { watchInterrupts } from './interrupts.ts';
import { type HostSession, signIn, withRemote } from './remote-session.ts';
import { createSpeaker } from './speaker.ts';

/** A command that wants one HOST and nothing else. */
interface HostCommand {
  readonly name: string;
  /** What it does; its options are said here. */
  readonly usage: string;
  /** The exit code. */
  run(host: HostSession): Promise<Result<number>>;
}

interface Options extends HostOptions {
  readonly json: boolean;
}

/** Runs a command on the HOST that its arguments name; the exit code. */
export async function onHost(
  { name, usage, run }: HostCommand,
  args: readonly string[],
  startFolder: string,
): Promise<number> {
  const options = parseOptions(args, startFolder);
  if (typeof options === 'string') return wrongUsage(name, options);
  if (options === undefined) {
    console.log(usageOf(name, usage));
    return 0;
  }
  const speaker = createSpeaker(options.json);
  return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
    const host = await signIn(session, options);
    const done = host.ok ? await run(host.value) : host;
    return done.ok ? done.value : speaker.fail(done.error);
  });
}

function usageOf(name: string, usage: string): string {
  return `Usage: stalltrace ${name} HOST [--json]

${usage}

  --json                          one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`;
}

/** The options, undefined for help, or the sentence that says what is wrong with them. */
function parseOptions(args: readonly string[], startFolder: string): Options | string | undefined {
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
