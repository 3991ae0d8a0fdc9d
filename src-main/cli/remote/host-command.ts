import type { Result } from '../../shared/rpc/result.ts';
import {
  HOST_USAGE,
  type HostOptions,
  hostOptionsOf,
  hostOptionTypes,
} from '../arguments/host-options.ts';
import { type Command, defineCommand } from '../command/command.ts';
import { createSpeaker } from '../output/speaker.ts';
import { watchInterrupts } from '../terminal/interrupts.ts';
import { type HostSession, signIn, withRemote } from './remote-session.ts';

interface HostCommand {
  readonly name: string;
  readonly summary: string;
  /** What it does; its options are said here. */
  readonly description: string;
  /** The exit code. */
  run(host: HostSession): Promise<Result<number>>;
}

interface Options extends HostOptions {
  readonly json: boolean;
}

/** A command that wants one HOST and nothing else. */
export function defineHostCommand({
  name,
  summary,
  description,
  run,
}: HostCommand): Command<Options> {
  return defineCommand({
    name,
    synopsis: 'HOST',
    summary,
    usage: `Usage: stalltrace ${name} HOST [--json]

${description}

  --json                          one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`,
    options: { ...hostOptionTypes, json: { type: 'boolean', default: false } },
    takesOperands: true,
    read({ values, operands }, startFolder): Options | string {
      const host = hostOptionsOf(values, operands, startFolder);
      return typeof host === 'string' ? host : { ...host, json: values.json };
    },
    run(options) {
      const speaker = createSpeaker(options.json);
      return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
        const host = await signIn(session, options);
        const done = host.ok ? await run(host.value) : host;
        return done.ok ? done.value : speaker.fail(done.error);
      });
    },
  });
}
