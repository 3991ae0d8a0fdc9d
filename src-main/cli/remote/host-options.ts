import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import { type HostTarget, hostTarget } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';

/** Of every command that signs in to a host; the letters are those of ssh. */
export const hostOptionTypes = {
  port: { type: 'string', short: 'p' },
  identity: { type: 'string', short: 'i', multiple: true, default: [] as string[] },
  jump: { type: 'string', short: 'J' },
  'system-ssh': { type: 'boolean', default: false },
  'accept-new-host-key': { type: 'boolean', default: false },
} as const;

export const HOST_USAGE = `HOST is a Host of ~/.ssh/config, user@host:port, or a whole line in quotes: "ssh -p 2222 me@host".

  -p PORT, -i KEYFILE, -J HOST,…  as with ssh
  --system-ssh                    by the ssh of this machine: for certificates, security keys, …
  --accept-new-host-key           trust the key of a host that is not known yet without asking; one
                                  that has changed is never accepted here`;

/** How to reach a host, as the command line says it. */
export interface HostOptions {
  readonly host: string;
  readonly port?: number;
  readonly identityFiles: readonly string[];
  /** First hop first. */
  readonly jumps: readonly string[];
  readonly systemSsh: boolean;
  readonly acceptNewKey: boolean;
}

interface HostValues {
  readonly port?: string | undefined;
  readonly identity: readonly string[];
  readonly jump?: string | undefined;
  readonly 'system-ssh': boolean;
  readonly 'accept-new-host-key': boolean;
}

/** The options, or the sentence that says what is wrong with them. */
export function hostOptionsOf(
  values: HostValues,
  hosts: readonly string[],
  startFolder: string,
): HostOptions | string {
  const [host = '', ...more] = hosts;
  if (host.trim() === '') return 'Name the host.';
  if (more.length > 0)
    return `Name one host only, and put a whole line in quotes: "ssh -p 2222 me@host".`;
  const { port, identity, jump } = values;
  if (port !== undefined && !isPort(port)) return `--port ${port} is no port: give 1 to 65535.`;
  if (identity.includes('')) return 'The name of a key file is empty.';
  const jumps = jump === undefined ? [] : jump.split(',').map((hop) => hop.trim());
  if (jumps.includes('')) return `--jump ${jump} has a hop without a name.`;
  return {
    host,
    ...(port !== undefined && { port: Number(port) }),
    identityFiles: identity.map((file) => keyPath(file, startFolder)),
    jumps,
    systemSsh: values['system-ssh'],
    acceptNewKey: values['accept-new-host-key'],
  };
}

/** What the options come to. What a line in HOST says of the same holds less than an option. */
export async function targetOf(
  app: App,
  options: HostOptions,
  context: CallContext,
): Promise<Result<HostTarget>> {
  const parsed = await app.handlers['remote.parseTarget']({ text: options.host }, context);
  if (!parsed.ok) return parsed;
  const { port, identityFiles, jumps, systemSsh } = options;
  const target = hostTarget.safeParse({
    ...parsed.value,
    ...(port !== undefined && { port }),
    ...(identityFiles.length > 0 && { identityFiles }),
    ...(jumps.length > 0 && { jumps }),
    ...(systemSsh && { transport: 'system' }),
  });
  if (target.success) return ok(target.data);
  const what = { identityFiles: '-i', jumps: '-J' }[String(target.error.issues[0]?.path[0])];
  const value = what === '-J' ? jumps.join(',') : identityFiles.join(' ');
  const message = `${what ?? 'HOST'} ${cleanText(value, 200)} can't be used: give at most eight, each a name as ssh takes it.`;
  return fail('bad-target', message);
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** A shell leaves `~` in `-i~/.ssh/id` as it is. */
function keyPath(file: string, startFolder: string): string {
  return file.startsWith('~/') ? resolve(homedir(), file.slice(2)) : resolve(startFolder, file);
}
