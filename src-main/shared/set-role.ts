import type { ProcessInfo, Role } from './model/trace.ts';

/** A role that the user gave to a process. Its place in the file may change, its pid and birth do not. */
export interface SetRole {
  readonly pid: number;
  /** Absent where the process ran before the recording. */
  readonly startNs?: number;
  readonly role: Role;
}

/** The roles a whole process can have: the others are of threads. */
export const processRoles = [
  'main',
  'dataloader-worker',
  'launcher',
  'other',
] as const satisfies readonly Role[];

/** Looks up the role that was set for a process; of several for one process the last stands. */
export function setRoleFinder(
  set: readonly SetRole[],
): (process: Pick<ProcessInfo, 'pid' | 'startNs'>) => Role | undefined {
  const roles = new Map(set.map((entry) => [keyOf(entry), entry.role]));
  return (process) => roles.get(keyOf(process));
}

function keyOf({ pid, startNs }: Pick<ProcessInfo, 'pid' | 'startNs'>): string {
  return `${pid} ${startNs ?? ''}`;
}
