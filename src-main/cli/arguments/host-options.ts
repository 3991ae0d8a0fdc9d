import { homedir } from 'node:os';
import { resolve } from 'node:path';

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
  if (port !== undefined && !isPort(port)) return `--port ${port} is not a port: give 1 to 65535.`;
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

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** A shell leaves `~` in `-i~/.ssh/id` as it is. */
function keyPath(file: string, startFolder: string): string {
  return file.startsWith('~/') ? resolve(homedir(), file.slice(2)) : resolve(startFolder, file);
}
