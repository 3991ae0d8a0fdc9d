// Processes that take all the CPU time they get, so that tests can be run on a busy machine.
import { type ChildProcess, spawn } from 'node:child_process';

/** Ends with its parent, even where that is killed and can end nobody. */
const LOOP = `
  const parent = Number(process.argv[1]);
  while (process.ppid === parent) for (let turn = 0; turn < 1e6; turn++);`;

export interface BusyProcesses {
  readonly pids: readonly (number | undefined)[];
  /** Whether all of them still take CPU time. */
  areRunning(): boolean;
  stop(): void;
}

export function startBusyProcesses(count: number): BusyProcesses {
  const args = ['-e', LOOP, String(process.pid)];
  const busy: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, args, { stdio: 'ignore' }),
  );
  return {
    pids: busy.map(({ pid }) => pid),
    areRunning: () =>
      busy.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null),
    stop: () => {
      for (const child of busy) child.kill('SIGKILL');
    },
  };
}
