import { type ChildProcess, spawn } from 'node:child_process';
import type {
  Channel,
  ChannelExit,
  Transport,
} from '../../../src-main/remote/transport/transport.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';

export interface LocalTransport extends Transport {
  /** What it was asked to run. */
  readonly commands: readonly string[];
  /** Ends all that runs, as a link that breaks: nobody says how it ended. */
  cut(): void;
}

/**
 * A double of a connection for unit tests: real processes of this machine, given to a login shell as
 * sshd gives them, without SSH.
 */
export function localTransport(
  options: {
    readonly shell?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** How many times no further channel is to be had. */
    readonly busy?: number;
  } = {},
): LocalTransport {
  const { shell = '/bin/sh', env = {} } = options;
  const commands: string[] = [];
  const running = new Set<ChildProcess>();
  let busy = options.busy ?? 0;
  let isCut = false;
  let end = (_end: { why: string; wanted: boolean }) => {};
  const ended = new Promise<{ why: string; wanted: boolean }>((resolve) => {
    end = resolve;
  });
  function close(why: string, wanted: boolean): void {
    isCut = true;
    for (const child of running) killGroup(child);
    end({ why, wanted });
  }
  return {
    kind: 'ssh2',
    facts: { signedInWith: 'nothing', via: [] },
    commands,
    ended,
    cut: () => close('It was cut.', false),
    close: () => close('It was closed.', true),
    async exec(command) {
      if (isCut) return fail('link-lost', 'The link is lost.');
      if (busy-- > 0) return fail('no-more-channels', 'There are too many.');
      commands.push(command);
      const child = spawn(shell, ['-c', command], {
        env: { PATH: process.env.PATH, ...env },
        detached: true,
      });
      running.add(child);
      child.once('close', () => running.delete(child));
      return ok(channelOf(child, () => isCut));
    },
  };
}

function channelOf(child: ReturnType<typeof spawn>, isCut: () => boolean): Channel {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('no pipes');
  const exit = new Promise<ChannelExit>((resolve) => {
    child.once('error', () => resolve({ code: 127 }));
    child.once('close', (code, signal) => {
      if (isCut()) resolve({ code: null });
      else resolve(signal === null ? { code } : { code: null, signal });
    });
  });
  return { stdin, stdout, stderr, exit, close: () => killGroup(child) };
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
