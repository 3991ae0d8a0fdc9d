import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigEnvironment } from '../config/config-environment.ts';
import { expandTilde } from '../config/expand-tokens.ts';
import { parseJumps } from '../config/jump-spec.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { isShellSafe } from '../config/shell-safe.ts';

/** What ssh is to use for the keys of one host. */
export interface HostKeyFiles {
  readonly host: ResolvedHost;
  /** The first one is where it writes new keys. */
  readonly files: readonly string[];
  /** Takes any key that is not in the files, and signs in nowhere: only to see which key it is. */
  readonly isProbed?: boolean;
}

/**
 * The configuration that ssh is started with, and after it those that it starts for hops: ours, then the
 * user's and the machine's. ssh takes the first value of a keyword, so what stands here holds.
 */
export function sshConfigText(
  hosts: readonly HostKeyFiles[],
  environment: ConfigEnvironment,
  keepAliveS: number,
): string {
  const user = environment.configFile ?? join(environment.homeFolder, '.ssh', 'config');
  const machine = environment.systemConfigFile ?? '/etc/ssh/ssh_config';
  const files = environment.configFile === undefined ? [user, machine] : [user];
  return [
    ...hosts.flatMap(hostBlock),
    'Host *',
    `ServerAliveInterval ${keepAliveS}`,
    'ServerAliveCountMax 3',
    // Connections that others share, or that outlive this one, are none of ours.
    'ControlMaster no',
    'ControlPath none',
    'ControlPersist no',
    'UpdateHostKeys no',
    'LogLevel INFO',
    'ForwardAgent no',
    'ForwardX11 no',
    ...files.filter((file) => existsSync(file)).map((file) => `Include ${quoted(file)}`),
    '',
  ].join('\n');
}

function hostBlock({ host, files, isProbed = false }: HostKeyFiles): string[] {
  const usable = files.filter((file) => !/[\n\r]|\$\{/.test(file));
  // A key is never taken unseen, as with ssh2.
  const said = host.strictHostKeyChecking === 'no' ? 'ask' : host.strictHostKeyChecking;
  return [
    `Host ${host.name}`,
    `UserKnownHostsFile ${usable.map((file) => quoted(file.replaceAll('%', '%%'))).join(' ')}`,
    'GlobalKnownHostsFile /dev/null',
    `StrictHostKeyChecking ${isProbed ? 'accept-new' : said}`,
    ...(isProbed ? ['PreferredAuthentications none'] : []),
    `ConnectTimeout ${Math.ceil(host.connectTimeoutMs / 1000)}`,
  ];
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}

/** What of a target ssh can't find in the files: user and port as they were resolved, keys, hops. */
export function targetArguments(host: ResolvedHost, environment: ConfigEnvironment): string[] {
  const { identityFiles = [], jumps } = host.target;
  return [
    '-l',
    host.user,
    '-p',
    String(host.port),
    ...identityFiles.flatMap((file) => ['-i', expandTilde(file, environment)]),
    ...(jumps === undefined
      ? []
      : jumps.length === 0
        ? ['-o', 'ProxyJump=none']
        : ['-J', jumps.join(',')]),
  ];
}

/** Whether all names of a host and of the hops that were asked for may be given to ssh. */
export function mayBeNamed(host: ResolvedHost): boolean {
  const hops = host.target.jumps?.flatMap((jump) => parseJumps(jump) ?? [{ name: '-', user: '' }]);
  const names = [host, ...host.jumps, ...(hops ?? [])];
  return names.every(({ name, user }) => isShellSafe(name, user));
}
