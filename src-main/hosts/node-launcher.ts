import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createStderrTail } from '../rpc/stderr-tail.ts';
import type { LaunchedProcess, ProcessEntry } from '../shared/platform.ts';

/** Starts an entry file as a Node child process: the launcher of the browser host and the CLI. */
export function launchNodeProcess(entry: ProcessEntry, args: readonly string[]): LaunchedProcess {
  const child = fork(fileURLToPath(new URL(`./${entry}.js`, import.meta.url)), [...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: ['--no-warnings'],
    // Ctrl+C at a terminal goes to all that it started. The processes leave it to this one (parent-port.ts);
    // an ssh of this machine, which one of them starts, would not: that ends with this process in any case.
    detached: entry === 'remote-process' && process.platform !== 'win32',
  });
  // What a child says on stderr is the log of these hosts: whoever started them sees it.
  const stderr = createStderrTail(child.stderr, (line) => console.error(`${entry}: ${line}`));
  const exits: ((reason: string) => void)[] = [];
  let ended: string | undefined;
  function end(reason: string): void {
    if (ended !== undefined) return;
    ended = reason;
    for (const listener of exits) listener(reason);
  }
  child.on('error', (error) => end(`The ${entry} could not be started: ${error.message}`));
  child.on('close', (code, signal) => end(describeExit(entry, code, signal, stderr.text())));
  return {
    pid: child.pid,
    post: (message) => {
      // What can't be sent, to one that has ended just now, its end tells.
      if (child.connected) child.send(message as object, () => undefined);
    },
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => {
      if (ended === undefined) exits.push(listener);
      else listener(ended);
    },
    kill: () => child.kill('SIGKILL'),
  };
}

function describeExit(
  entry: ProcessEntry,
  code: number | null,
  signal: NodeJS.Signals | null,
  stderr: string,
): string {
  const how = signal === null ? `exit code ${code}` : signal;
  return `The ${entry} ended (${how})${stderr === '' ? '.' : `: ${stderr}`}`;
}
