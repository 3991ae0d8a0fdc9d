import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import type { HostOptions } from './evaluate-config.ts';
import { expandPath, expandTilde, expandVariables, type TokenValues } from './expand-tokens.ts';
import { KEEP_ALIVE_MS, type ResolvedHost } from './resolved-host.ts';
import { whyOnlySystemSsh } from './system-ssh-only.ts';
import { parseSeconds } from './time-text.ts';

const DEFAULT_PORT = 22;
/** ssh itself waits as long as TCP does: two minutes. */
const DEFAULT_CONNECT_TIMEOUT_MS = 20_000;

/** OpenSSH's own order; those of security keys are left to the system's ssh. */
const DEFAULT_KEYS = ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa'];
const DEFAULT_SECURITY_KEYS = ['id_ecdsa_sk', 'id_ed25519_sk'];

/** What the configuration says of a host → what connecting needs, its hops aside. */
export function hostFromOptions(
  target: HostTarget,
  options: HostOptions,
  environment: ConfigEnvironment,
): ResolvedHost {
  const { hostName } = options;
  const port = options.port ?? DEFAULT_PORT;
  const user = options.user ?? environment.userName;
  const alias = options.values.get('hostkeyalias')?.[0]?.toLowerCase();
  const tokens: TokenValues = {
    hostName,
    originalHost: options.name,
    port,
    user,
    ...(alias === undefined ? {} : { hostKeyAlias: alias }),
    ...(options.proxyJump === undefined ? {} : { jump: options.proxyJump }),
  };
  const identityFiles = identities(options, tokens, environment);
  const agentSocket = agentOf(options, tokens, environment);
  const methods = authentications(options);
  const why = whyOnlySystemSsh(options, identityFiles, methods);
  const wanted = target.transport;
  return {
    name: target.name,
    target,
    hostName,
    port,
    user,
    keyName: hostNameForKnownHosts(hostName, port, alias),
    identityFiles,
    identitiesOnly: flag(options, 'identitiesonly') === true,
    ...(agentSocket === undefined ? {} : { agentSocket }),
    jumps: [],
    strictHostKeyChecking: strictness(options),
    knownHostsFiles: knownHostsFiles(options, tokens, environment),
    ...(methods === undefined ? {} : { preferredAuthentications: methods }),
    connectTimeoutMs: connectTimeoutMs(options),
    ...keepAlive(options),
    ...(why === undefined ? {} : { needsSystemSsh: why }),
    ...(wanted === undefined ? {} : { transport: wanted }),
  };
}

/** The name a host's key is known under: an alias as it is, else the host, in brackets with another port. */
export function hostNameForKnownHosts(
  hostName: string,
  port: number,
  alias: string | undefined,
): string {
  if (alias !== undefined) return alias;
  return port === DEFAULT_PORT ? hostName : `[${hostName}]:${port}`;
}

function identities(
  options: HostOptions,
  tokens: TokenValues,
  environment: ConfigEnvironment,
): readonly string[] {
  if (options.identityFiles.length > 0) {
    const files = options.identityFiles
      .filter((file) => file.toLowerCase() !== 'none')
      .map((file) => expandPath(file, tokens, environment));
    return [...new Set(files)];
  }
  const there = (names: readonly string[]) =>
    names
      .map((name) => join(environment.homeFolder, '.ssh', name))
      .filter((path) => existsSync(path));
  const plain = there(DEFAULT_KEYS);
  return plain.length > 0 ? plain : there(DEFAULT_SECURITY_KEYS);
}

function agentOf(
  options: HostOptions,
  tokens: TokenValues,
  environment: ConfigEnvironment,
): string | undefined {
  const { env, platform } = environment;
  const usual = platform === 'win32' ? '\\\\.\\pipe\\openssh-ssh-agent' : undefined;
  const said = options.values.get('identityagent')?.[0];
  if (said === undefined || said === 'SSH_AUTH_SOCK') return env.SSH_AUTH_SOCK || usual;
  if (said.toLowerCase() === 'none') return undefined;
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(said)?.[1];
  if (variable !== undefined) return env[variable] || undefined;
  if (platform === 'win32' && (said.startsWith('\\\\') || said === 'pageant')) return said;
  return expandPath(said, tokens, environment);
}

function knownHostsFiles(
  options: HostOptions,
  tokens: TokenValues,
  environment: ConfigEnvironment,
): readonly string[] {
  const users = options.values.get('userknownhostsfile') ?? [
    '~/.ssh/known_hosts',
    '~/.ssh/known_hosts2',
  ];
  const machines = options.values.get('globalknownhostsfile') ?? [
    '/etc/ssh/ssh_known_hosts',
    '/etc/ssh/ssh_known_hosts2',
  ];
  const files = [
    ...users.filter(isFile).map((file) => expandPath(file, tokens, environment)),
    ...machines
      .filter(isFile)
      .map((file) => expandVariables(expandTilde(file, environment), environment)),
  ];
  return [...new Set(files)];
}

function isFile(name: string): boolean {
  return name.toLowerCase() !== 'none' && name !== '/dev/null';
}

function strictness(options: HostOptions): ResolvedHost['strictHostKeyChecking'] {
  const word = options.values.get('stricthostkeychecking')?.[0]?.toLowerCase();
  if (word === 'yes' || word === 'true') return 'yes';
  if (word === 'no' || word === 'false' || word === 'off') return 'no';
  return word === 'accept-new' ? 'accept-new' : 'ask';
}

/** `yes`, `true`, `no`, `false`; undefined for anything else. */
function flag(options: HostOptions, keyword: string): boolean | undefined {
  const word = options.values.get(keyword)?.[0]?.toLowerCase();
  if (word === 'yes' || word === 'true') return true;
  return word === 'no' || word === 'false' ? false : undefined;
}

const METHODS = ['gssapi-with-mic', 'hostbased', 'publickey', 'keyboard-interactive', 'password'];

/** PreferredAuthentications without the methods that are switched off; undefined where nothing is said. */
function authentications(options: HostOptions): readonly string[] | undefined {
  const off = new Set(
    [
      ['pubkeyauthentication', 'publickey'],
      ['passwordauthentication', 'password'],
      ['kbdinteractiveauthentication', 'keyboard-interactive'],
      ['challengeresponseauthentication', 'keyboard-interactive'],
    ].flatMap(([keyword = '', method = '']) => (flag(options, keyword) === false ? [method] : [])),
  );
  const preferred = options.values.get('preferredauthentications')?.[0]?.toLowerCase().split(',');
  if (preferred === undefined && off.size === 0) return undefined;
  return (preferred ?? METHODS).filter((method) => method !== '' && !off.has(method));
}

function connectTimeoutMs(options: HostOptions): number {
  const word = options.values.get('connecttimeout')?.[0];
  const seconds = word === undefined ? undefined : parseSeconds(word);
  return seconds === undefined || seconds <= 0 ? DEFAULT_CONNECT_TIMEOUT_MS : seconds * 1000;
}

/** Never longer than the app's own interval, and never off: a frozen link would look alive for ever. */
function keepAlive(options: HostOptions): Pick<ResolvedHost, 'keepAliveMs'> {
  const word = options.values.get('serveraliveinterval')?.[0];
  const seconds = word === undefined ? undefined : parseSeconds(word);
  if (seconds === undefined || seconds <= 0) return {};
  return { keepAliveMs: Math.min(seconds * 1000, KEEP_ALIVE_MS) };
}
