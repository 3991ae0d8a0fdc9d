import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { childrenOf, descendants } from '../processes.ts';

export type KeyType = 'ed25519' | 'rsa' | 'ecdsa';

/** A key pair on the disk. */
export interface SshKey {
  readonly file: string;
  /** `ssh-ed25519 AAAA…` */
  readonly publicKey: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

/** A real OpenSSH server on a loopback port, with a configuration and host keys of its own. */
export interface SshHost {
  readonly address: string;
  readonly port: number;
  /** Of the server's own files; removed with it. */
  readonly folder: string;
  readonly hostKeys: ReadonlyMap<KeyType, SshKey>;
  /** Lines for a known_hosts file, one for each host key. */
  knownHostsLines(name?: string): string;
  /** What the server wrote so far, at level VERBOSE. */
  log(): string;
  /** Processes of the connections there are, the newest last. */
  connections(): readonly number[];
  /** Those and all that they started. */
  processes(): readonly number[];
  /** Ends or stops (`SIGSTOP`, `SIGCONT`) the processes of all connections. */
  signalConnections(signal: NodeJS.Signals): void;
  /** Also ends its connections. */
  stop(): Promise<void>;
}

export interface SshHostOptions {
  /** Lines of sshd_config; the first line of a keyword counts, and these come first. */
  readonly config?: readonly string[];
  readonly hostKeyTypes?: readonly KeyType[];
  /** Keys to use instead of new ones: a host that "came back". */
  readonly hostKeys?: ReadonlyMap<KeyType, SshKey>;
  readonly address?: string;
  readonly port?: number;
  /** Asks for password and one-time code by keyboard-interactive (PAM with google-authenticator). */
  readonly oneTimeCodes?: boolean;
  /** Another build of sshd. */
  readonly program?: string;
  /** A network namespace to run in. */
  readonly networkNamespace?: string;
  /** What starts it, instead of a shell of this machine: words that its own follow. */
  readonly through?: readonly string[];
}

let started = 0;

export async function startSshHost(options: SshHostOptions = {}): Promise<SshHost> {
  const { address = '127.0.0.1', hostKeyTypes = ['ed25519', 'rsa', 'ecdsa'] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-sshd-'));
  const port = options.port ?? (await freePort());
  const hostKeys =
    options.hostKeys ??
    new Map(
      hostKeyTypes.map((type) => [type, createSshKey(join(folder, `host_${type}`), { type })]),
    );
  const pam = options.oneTimeCodes ? serverWithPam(folder) : undefined;
  const config = [
    ...(options.config ?? []),
    `ListenAddress ${address}`,
    `Port ${port}`,
    ...[...hostKeys.values()].map(({ file }) => `HostKey ${file}`),
    `PidFile none`,
    `UsePAM ${pam === undefined ? 'no' : 'yes'}`,
    `PasswordAuthentication ${pam === undefined ? 'yes' : 'no'}`,
    `KbdInteractiveAuthentication ${pam === undefined ? 'no' : 'yes'}`,
    'PermitRootLogin yes',
    'MaxAuthTries 20',
    'MaxStartups 100',
    'LogLevel VERBOSE',
    'UseDNS no',
  ];
  const configFile = join(folder, 'sshd_config');
  writeFileSync(configFile, `${config.join('\n')}\n`);
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const command = [
    pam?.server ?? options.program ?? '/usr/sbin/sshd',
    '-D',
    '-e',
    '-f',
    configFile,
  ];
  const { networkNamespace, through = [] } = options;
  const [program = '', ...args] =
    networkNamespace === undefined
      ? [...through, ...command]
      : ['/usr/sbin/ip', 'netns', 'exec', networkNamespace, ...command];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (data) => (log += String(data)));
  await listening(child, () => log);
  function signalConnections(signal: NodeJS.Signals): void {
    // The connection before what runs through it, whose end it would tell else.
    for (const pid of descendants(child.pid ?? -1).reverse()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended.
      }
    }
  }
  return {
    address,
    port,
    folder,
    hostKeys,
    knownHostsLines: (name = `[${address}]:${port}`) =>
      [...hostKeys.values()].map(({ publicKey }) => `${name} ${publicKey}\n`).join(''),
    log: () => log,
    connections: () => childrenOf(child.pid ?? -1),
    processes: () => descendants(child.pid ?? -1),
    signalConnections,
    async stop() {
      signalConnections('SIGKILL');
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      pam?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A new key pair in `file` and `file`.pub, by ssh-keygen. */
export function createSshKey(
  file: string,
  {
    type = 'ed25519',
    passphrase = '',
    format = 'RFC4716',
  }: { type?: KeyType; passphrase?: string; format?: 'RFC4716' | 'PEM' | 'PKCS8' } = {},
): SshKey {
  const bits = type === 'rsa' ? ['-b', '2048'] : [];
  const words = ['-q', '-t', type, ...bits, '-m', format, '-N', passphrase, '-C', 'test'];
  execFileSync('ssh-keygen', [...words, '-f', file], { stdio: 'pipe' });
  const publicKey = readFileSync(`${file}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ');
  const listed = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' });
  return { file, publicKey, fingerprint: listed.split(' ')[1] ?? '' };
}

/**
 * sshd under a name of its own: that is also the name of its PAM service, so that this machine's own
 * is left alone.
 */
function serverWithPam(folder: string): { server: string; remove(): void } {
  const name = `stalltrace-sshd-${process.pid}-${started++}`;
  const server = join(folder, name);
  symlinkSync('/usr/sbin/sshd', server);
  const service = join('/etc/pam.d', name);
  writeFileSync(
    service,
    [
      'auth required pam_unix.so',
      'auth required pam_google_authenticator.so',
      'account required pam_unix.so',
      'session required pam_permit.so',
      '',
    ].join('\n'),
  );
  return { server, remove: () => rmSync(service, { force: true }) };
}

async function listening(child: ChildProcess, log: () => string): Promise<void> {
  while (!log().includes('Server listening on')) {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${log()}`);
    await setTimeout(20);
  }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
