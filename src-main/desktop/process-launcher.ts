import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type UtilityProcess, utilityProcess } from 'electron';
import { createStderrTail } from '../rpc/stderr-tail.ts';
import type { LaunchedProcess, ProcessEntry } from '../shared/platform.ts';

/**
 * Starts the entry files in `folder` as utility processes. Not child_process.fork, which
 * needs the RunAsNode fuse: it is off in packaged builds (docs/desktop.md).
 */
export function createProcessLauncher(
  folder: string,
): (entry: ProcessEntry, args: readonly string[]) => LaunchedProcess {
  return (entry, args) => {
    const child = utilityProcess.fork(join(folder, `${entry}.js`), [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      serviceName: `Stalltrace ${entry}`,
      execArgv: ['--no-warnings'],
    });
    // Typed as a stream that can only be read by hand; what is there is a Readable.
    const stderr = createStderrTail(child.stderr instanceof Readable ? child.stderr : null);
    return launched(entry, child, stderr);
  };
}

function launched(
  entry: ProcessEntry,
  child: UtilityProcess,
  stderr: { text(): string },
): LaunchedProcess {
  const exits: ((reason: string) => void)[] = [];
  let ended: string | undefined;
  let killed = false;
  child.once('exit', (code) => {
    const text = stderr.text();
    const reason = `The ${entry} ended (exit code ${code})${text === '' ? '.' : `: ${text}`}`;
    ended = reason;
    for (const listener of exits) listener(reason);
  });
  child.once('spawn', () => {
    if (killed) killAtOnce(child);
  });
  return {
    get pid() {
      return child.pid;
    },
    post: (message) => {
      if (ended === undefined) child.postMessage(message);
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => {
      if (ended === undefined) exits.push(listener);
      else listener(ended);
    },
    kill() {
      killed = true;
      if (ended === undefined) killAtOnce(child);
    },
  };
}

/** `kill()` asks politely (SIGTERM); a process inside a long native query may have a handler that waits. */
function killAtOnce(child: UtilityProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(child.pid, 'SIGKILL');
  } catch {
    child.kill();
  }
}
