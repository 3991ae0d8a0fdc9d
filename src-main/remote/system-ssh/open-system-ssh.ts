import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ConnectError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from '../config/config-environment.ts';
import { KEEP_ALIVE_MS, type ResolvedHost } from '../config/resolved-host.ts';
import type { Ask } from '../link/ask.ts';
import { checkHostKey } from '../sign-in/check-host-key.ts';
import type { Credentials } from '../sign-in/credentials.ts';
import { connectTimeout } from '../transport/connect-failures.ts';
import { serverAddress } from '../transport/host-address.ts';
import type { Transport } from '../transport/transport.ts';
import { fingerprintOf } from '../trust/host-key.ts';
import type { HostTrust } from '../trust/host-trust.ts';
import { namesHost, parseKnownHosts } from '../trust/known-hosts.ts';
import { knownHostsForSsh } from '../trust/known-hosts-for-ssh.ts';
import { SshAnswers } from './answers.ts';
import { AskpassDesk } from './askpass.ts';
import { mayBeNamed, sshConfigText, targetArguments } from './config-file.ts';
import { changedHostName, connectFailure } from './failure.ts';
import { makeSshFolder, type SshFolder } from './folder.ts';
import { SshMaster } from './master.ts';
import { findSsh } from './program.ts';
import { SystemTransport } from './system-ssh-transport.ts';

export interface SystemSshOptions {
  readonly environment: ConfigEnvironment;
  readonly trust: HostTrust;
  /** The app's own known_hosts, which `trust` writes: ssh reads it beside the user's. */
  readonly ownKnownHosts: string;
  /** Answers what was given before without asking again. */
  readonly credentials: Credentials;
  /** Absent where nobody is to be asked: what would need a person then fails. */
  readonly ask?: Ask;
  readonly signal: AbortSignal;
  /** As with ssh2; whole seconds, at least one. 5000. */
  readonly keepAliveMs?: number;
}

type Failing = ConnectError | 'cancelled';
type Opened = Result<Transport, Failing>;

/** Beyond the time to connect: for ssh to say something new while nobody is asked. */
const SILENCE_MS = 20_000;
/** A chain has that many keys that could have changed. */
const MOST_ATTEMPTS = 5;

/**
 * A connection by this machine's `ssh`, which reads the user's configuration itself. One `ssh` holds it
 * (ControlMaster, a socket in a folder of ours, 0700); each command is another one that uses it. What it
 * asks comes by an askpass program of ours. Host keys are checked by ssh against our known_hosts and the
 * user's; new keys go to ours only.
 *
 * On Windows ssh can't share a connection and has no askpass that we could give it: each command makes
 * its own connection there, and only ways to sign in that need no answer work (an agent, plain keys).
 */
export async function openSystemSsh(
  host: ResolvedHost,
  options: SystemSshOptions,
): Promise<Opened> {
  const { environment, signal } = options;
  if (signal.aborted) return cancelled();
  if (host.matchExecDeclined === true) {
    return fail(
      'config-unreadable',
      `This machine's ssh would run the commands of “Match exec” in your SSH configuration, which you did not allow: connect to ${cleanText(host.name, 80)} again and allow them.`,
    );
  }
  if (!mayBeNamed(host)) {
    return fail(
      'bad-target',
      `${cleanText(host.name, 80)} can't be given to this machine's ssh: its name, its user or a jump host has characters that a shell would read. Give it a Host entry of its own in the SSH configuration.`,
    );
  }
  const program = findSsh(environment);
  if (program === undefined) {
    return fail(
      'no-system-ssh',
      `${host.needsSystemSsh ?? 'This host is set to the ssh of this machine.'} This machine has no ssh program: install the OpenSSH client, then connect again.`,
    );
  }
  const folder = await makeSshFolder(environment);
  if (folder === undefined) {
    return fail(
      'no-system-ssh',
      "There is no folder on this machine for ssh's control socket: set XDG_RUNTIME_DIR or TMPDIR to a folder with a short path that programs may be run from.",
    );
  }
  let isOpen = false;
  try {
    const opened = await new SystemConnecting(host, options, program, folder).open();
    isOpen = opened.ok;
    return opened;
  } finally {
    if (!isOpen) folder.remove();
  }
}

class SystemConnecting {
  readonly #host: ResolvedHost;
  readonly #options: SystemSshOptions;
  readonly #program: string;
  readonly #folder: SshFolder;
  readonly #answers: SshAnswers;
  readonly #shared: boolean;
  #attempt = 0;

  constructor(host: ResolvedHost, options: SystemSshOptions, program: string, folder: SshFolder) {
    this.#host = host;
    this.#options = options;
    this.#program = program;
    this.#folder = folder;
    this.#answers = new SshAnswers({ ...options, host });
    this.#shared = options.environment.platform !== 'win32';
  }

  async open(): Promise<Opened> {
    for (;;) {
      this.#attempt += 1;
      const config = await this.#writeConfig();
      const { master, failure } = await this.#connect(config);
      await this.#rememberNewKeys();
      if (failure === undefined) return ok(this.#transport(config, master));
      const changed = changedHostName(master.words());
      if (
        (!failure.ok && failure.error.code === 'cancelled') ||
        changed === undefined ||
        this.#attempt === MOST_ATTEMPTS
      ) {
        return failure;
      }
      const decided = await this.#decideChanged(changed, failure);
      if (decided !== undefined) return decided;
    }
  }

  /** The files are written anew for each attempt: what was trusted meanwhile counts. */
  async #writeConfig(probing?: ResolvedHost): Promise<string> {
    const { environment, ownKnownHosts } = this.#options;
    const keepAliveMs = this.#options.keepAliveMs ?? this.#host.keepAliveMs ?? KEEP_ALIVE_MS;
    const hosts = [...this.#host.jumps, this.#host].map(async (host, index) => {
      if (host === probing) {
        return { host, files: [this.#folder.file('probed')], isProbed: true };
      }
      const files = await knownHostsForSsh(ownKnownHosts, host, (name) =>
        this.#folder.file(`known.${this.#attempt}.${index}.${name}`),
      );
      return { host, files: [this.#folder.file('new'), ...files] };
    });
    const seconds = Math.max(1, Math.round(keepAliveMs / 1000));
    const text = sshConfigText(await Promise.all(hosts), environment, seconds);
    const path = this.#folder.file(probing === undefined ? 'config' : 'probe-config');
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  #env(): NodeJS.ProcessEnv {
    const { env } = this.#options.environment;
    const { askpass } = this.#folder;
    // Before OpenSSH 8.4 a display was what made it use an askpass at all.
    const asking =
      askpass === undefined
        ? {}
        : { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: env.DISPLAY ?? ':0' };
    return { ...env, ...asking };
  }

  #commonArguments(config: string, logFile: string): string[] {
    const { ask, credentials, environment } = this.#options;
    const hosts = [...this.#host.jumps, this.#host];
    const answers = ask !== undefined || hosts.some((host) => credentials.hasAnswers(host));
    const batch = !answers || this.#folder.askpass === undefined;
    return [
      ...['-F', config, '-E', logFile, '-T', '-a', '-x'],
      ...['-o', 'LogLevel=DEBUG1', '-o', 'ClearAllForwardings=yes', '-o', 'PermitLocalCommand=no'],
      ...['-o', 'RemoteCommand=none', '-o', 'Tunnel=no', ...(batch ? ['-o', 'BatchMode=yes'] : [])],
      ...targetArguments(this.#host, environment),
    ];
  }

  /** Starts ssh and waits until it is signed in, answering what it asks; a failed one has ended. */
  async #connect(config: string) {
    const logFile = this.#folder.file(`log.${this.#attempt}`);
    const how = this.#shared
      ? ['-M', '-S', this.#folder.socket, '-N', '--', this.#host.name]
      : ['--', this.#host.name, 'exit'];
    const master = this.#start([...this.#commonArguments(config, logFile), ...how], logFile);
    const failure = await this.#wait(master, () =>
      this.#shared ? isThere(this.#folder.socket) : signedIn(master),
    );
    return { master, failure };
  }

  #start(args: readonly string[], logFile: string): SshMaster {
    return new SshMaster({
      program: this.#program,
      args,
      env: this.#env(),
      folder: this.#options.environment.homeFolder,
      logFile,
    });
  }

  async #wait(
    master: SshMaster,
    ready: () => boolean,
  ): Promise<Result<never, Failing> | undefined> {
    const { signal } = this.#options;
    const desk = new AskpassDesk(this.#folder, (hint, prompt, gone) =>
      this.#answers.answer(hint, prompt, gone),
    );
    const silence = this.#host.connectTimeoutMs * (this.#host.jumps.length + 1) + SILENCE_MS;
    let said = -1;
    let saidAt = Date.now();
    let isReady = false;
    let timedOut = false;
    await master.until(() => {
      isReady = ready();
      if (isReady || signal.aborted) return true;
      desk.look();
      const bytes = master.saidBytes();
      if (bytes !== said || desk.busy) saidAt = Date.now();
      said = bytes;
      timedOut = Date.now() - saidAt > silence;
      return desk.refused || timedOut;
    });
    desk.close();
    // It may have ended in between, having done all there was to do.
    if ((isReady || ready()) && !signal.aborted) return undefined;
    if (!master.isOver) {
      // Not politely: an ssh that is told that there is no answer tries an empty password.
      master.kill();
      await master.ended;
      desk.close();
    }
    if (signal.aborted) return cancelled();
    if (timedOut) return connectTimeout(serverAddress(this.#host), silence);
    return this.#refused() ?? connectFailure(this.#host, master.words());
  }

  #refused(): Result<never, Failing> | undefined {
    const where = serverAddress(this.#host);
    switch (this.#answers.refusal) {
      case undefined:
        return undefined;
      case 'host-key':
        return fail(
          'host-key-unknown',
          `The key of ${where}, or of a host on the way, is not known, and nobody confirmed it: connect again and compare it with what the host's owner says.`,
        );
      case 'needs-person':
        return fail(
          'sign-in-failed',
          `Could not sign in to ${where}: somebody has to answer its questions. Connect again.`,
        );
      case 'secret':
        return fail(
          'sign-in-failed',
          `Could not sign in to ${where}: a question was left unanswered. Connect again.`,
        );
    }
  }

  /** ssh wrote keys that it was told to trust, or that `accept-new` trusts, to a file of this connection. */
  async #rememberNewKeys(): Promise<void> {
    const { trust, credentials } = this.#options;
    for (const line of parseKnownHosts(readText(this.#folder.file('new')))) {
      const hosts = [...this.#host.jumps, this.#host];
      const host = hosts.find(({ keyName }) => namesHost(line, keyName.toLowerCase()));
      if (host === undefined) continue;
      if ((await trust.judge(host, line.blob)).kind === 'known') continue;
      const once = this.#answers.once.has(fingerprintOf(line.blob));
      const written = !once && (await trust.remember(host, line.blob, { replace: false })).ok;
      if (!written) credentials.trustOnce(host, line.blob);
    }
  }

  /**
   * ssh says that a key has changed, but not which key it is: it is fetched by signing in without any
   * method, then decided as with ssh2. Undefined: go on and connect again.
   */
  async #decideChanged(
    name: string,
    failure: Result<never, Failing>,
  ): Promise<Result<never, Failing> | undefined> {
    const hosts = [...this.#host.jumps, this.#host];
    const host = hosts.find(({ keyName }) => keyName.toLowerCase() === name.toLowerCase());
    if (host === undefined) return failure;
    const config = await this.#writeConfig(host);
    const logFile = this.#folder.file(`probe.${this.#attempt}`);
    const probed = () =>
      parseKnownHosts(readText(this.#folder.file('probed'))).find((line) =>
        namesHost(line, host.keyName.toLowerCase()),
      );
    const args = [...this.#commonArguments(config, logFile), '-N', '--', this.#host.name];
    const master = this.#start(args, logFile);
    await this.#wait(master, () => probed() !== undefined);
    master.kill();
    await master.ended;
    const { signal, ask } = this.#options;
    if (signal.aborted) return cancelled();
    const line = probed();
    if (line === undefined) return failure;
    const checked = await checkHostKey(host, line.blob, {
      ...this.#options,
      ask: ask === undefined ? undefined : (question) => ask(question, signal),
    });
    return checked.ok ? undefined : checked;
  }

  #transport(config: string, master: SshMaster): Transport {
    const { log } = master.words();
    const parts = {
      host: this.#host,
      program: this.#program,
      env: this.#env(),
      folder: this.#folder,
      log,
    };
    if (!this.#shared) {
      const channelArguments = (logFile: string) => [
        ...this.#commonArguments(config, logFile),
        '-o',
        'BatchMode=yes',
      ];
      return new SystemTransport({ ...parts, channelArguments });
    }
    const channelArguments = (logFile: string) => [
      ...['-F', 'none', '-S', this.#folder.socket, '-T', '-a', '-x', '-e', 'none'],
      // Where the host allows no more sessions, ssh would sign in anew: this makes that fail at once.
      ...['-o', 'ControlMaster=no', '-o', 'ProxyCommand=false', '-o', 'BatchMode=yes'],
      ...['-o', 'LogLevel=DEBUG2', '-E', logFile],
    ];
    return new SystemTransport({ ...parts, master, channelArguments });
  }
}

function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Connecting was cancelled.');
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function signedIn(master: SshMaster): boolean {
  return /^Authenticated to /m.test(master.words().log);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
