import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFile } from '../built.ts';
import type { CliRun } from '../run-cli.ts';
import { createSshKey, type SshHost, type SshHostOptions, startSshHost } from './ssh-host.ts';
import { createSshUser, type SshUser, type SshUserOptions } from './ssh-user.ts';

/** The built command line, and a real host that its user may sign in to. */
export interface CliHost {
  readonly host: SshHost;
  readonly user: SshUser;
  /** HOST, and the options that name the key. */
  readonly target: readonly string[];
  readonly dataFolder: string;
  /** Of whoever runs the command line; its known_hosts knows the host. */
  readonly home: string;
  /** Without a terminal. */
  run(args: readonly string[], options?: RunOptions): Promise<CliRun>;
  /** Likewise, while it runs. */
  start(args: readonly string[], options?: RunOptions): RunningCli;
  /** At a terminal of its own. */
  startAtTerminal(args: readonly string[]): RunningCli;
  remove(): Promise<void>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

interface RunningCli {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  type(text: string): void;
  readonly ended: Promise<CliRun>;
}

export interface CliHostOptions {
  readonly host?: SshHostOptions;
  readonly user?: SshUserOptions;
  readonly isKnown?: boolean;
}

export async function startCliHost({
  host: hostOptions = {},
  user: userOptions = { sudo: 'free' },
  isKnown = true,
}: CliHostOptions = {}): Promise<CliHost> {
  const home = mkdtempSync(join(tmpdir(), 'stalltrace-cli-'));
  const dataFolder = join(home, 'data');
  const host = await startSshHost(hostOptions);
  const user = await createSshUser(userOptions);
  mkdirSync(join(home, '.ssh'), { mode: 0o700 });
  const key = createSshKey(join(home, '.ssh', 'test_key'));
  user.authorise(key.publicKey);
  if (isKnown) writeFileSync(join(home, '.ssh', 'known_hosts'), host.knownHostsLines());
  const environment = (env: Readonly<Record<string, string>> = {}) => ({
    ...process.env,
    HOME: home,
    STALLTRACE_DATA_DIR: dataFolder,
    SSH_AUTH_SOCK: '',
    ...env,
  });
  const command = [process.execPath, builtFile('main/cli.js')];
  function start(args: readonly string[], { env }: RunOptions = {}): RunningCli {
    const [program = '', ...rest] = [...command, ...args];
    // A session of its own has no terminal, whatever the tests were started from.
    return running(
      spawn(program, rest, { cwd: home, env: environment(env), detached: true, stdio: 'pipe' }),
    );
  }
  return {
    host,
    user,
    target: [`${user.name}@${host.address}:${host.port}`, '-i', key.file],
    dataFolder,
    home,
    run: (args, options) => start(args, options).ended,
    start,
    startAtTerminal(args) {
      const line = [...command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
      // The exec: a shell that stays in between reports each Ctrl+C as its own end, as dash does.
      const script = ['-q', '-e', '-c', `exec ${line.join(' ')}`, '/dev/null'];
      return running(spawn('script', script, { cwd: home, env: environment(), stdio: 'pipe' }));
    },
    async remove() {
      await host.stop();
      await user.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function running(child: ChildProcess): RunningCli {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<CliRun>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    type: (text) => void child.stdin?.write(text),
    ended,
  };
}
