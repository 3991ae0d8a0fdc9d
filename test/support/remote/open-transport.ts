import { setTimeout } from 'node:timers/promises';
import type { ResolvedHost } from '../../../src-main/remote/config/resolved-host.ts';
import type { Ask, Question } from '../../../src-main/remote/link/ask.ts';
import { Credentials } from '../../../src-main/remote/sign-in/credentials.ts';
import { openSsh2, type Ssh2Options } from '../../../src-main/remote/ssh2/open-ssh2.ts';
import type { Channel, Transport } from '../../../src-main/remote/transport/transport.ts';
import type { RemoteAnswer } from '../../../src-main/shared/remote/questions.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';

type Server = { readonly address: string; readonly port: number };

/** A host as the configuration would resolve it, with nothing to sign in with. */
export function hostAt(
  { address, port }: Server,
  user: { readonly name: string } | string,
  more: Partial<ResolvedHost> = {},
): ResolvedHost {
  return {
    name: address,
    target: { name: address },
    hostName: address,
    port,
    user: typeof user === 'string' ? user : user.name,
    keyName: port === 22 ? address : `[${address}]:${port}`,
    identityFiles: [],
    identitiesOnly: false,
    jumps: [],
    strictHostKeyChecking: 'ask',
    knownHostsFiles: [],
    connectTimeoutMs: 10_000,
    ...more,
  };
}

/** A person who gives these answers, one after the other, and then leaves; with what was asked. */
export function personSaying(...answers: readonly (RemoteAnswer | string | readonly string[])[]): {
  readonly ask: Ask;
  readonly asked: Question[];
} {
  const asked: Question[] = [];
  const left = [...answers];
  return {
    asked,
    async ask(question) {
      asked.push(question);
      await setTimeout(1);
      const answer = left.shift();
      if (answer === undefined) return { kind: 'cancel' };
      if (typeof answer === 'object' && 'kind' in answer) return answer;
      const texts = typeof answer === 'string' ? [answer] : [...answer];
      return { kind: 'texts', texts, remember: false };
    },
  };
}

export type OpenOptions = Partial<Ssh2Options> & Pick<Ssh2Options, 'trust'>;

export function open(host: ResolvedHost, options: OpenOptions) {
  return openSsh2(host, {
    credentials: new Credentials(),
    signal: new AbortController().signal,
    ...options,
  });
}

/** For what has to succeed. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** Runs a command to its end. */
export async function run(transport: Transport, command: string, input = ''): Promise<Ran> {
  return collect(must(await transport.exec(command)), input);
}

export async function collect(channel: Channel, input = ''): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  channel.stdout.on('data', (chunk) => (stdout += String(chunk)));
  channel.stderr.on('data', (chunk) => (stderr += String(chunk)));
  channel.stdin.end(input);
  const { code } = await channel.exit;
  return { stdout, stderr, code };
}
