import { constants, setPriority } from 'node:os';

/** Lets all others go first, what the process starts from now on included. Where the system refuses, it stays as it was. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It ended just now, or may not be changed.
  }
}
