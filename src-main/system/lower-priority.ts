import { constants, getPriority, setPriority } from 'node:os';

/** Lets all others go first, what the process starts from now on included. Where the system refuses, it stays as it was. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It ended just now, or may not be changed.
  }
}

/** A third of the time of others that want the same CPU. */
const BEHIND = 5;

/** Lets others go first where they want the same CPU. Of the thread that calls it: only Linux has priorities of threads. */
export function lowerThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + BEHIND));
  } catch {
    // The system refuses: it stays as it was.
  }
}
