import { z } from 'zod';
import type { ProcessInfo, Role } from '../model/trace.ts';

/** The roles a whole process can have: the others are of threads. */
export const processRoles = [
  'main',
  'server',
  'dataloader-worker',
  'launcher',
  'other',
] as const satisfies readonly Role[];

/**
 * A role that the user gave to a process. Its place in a file may change, its pid and birth do not;
 * `startNs` is absent where it ran before the recording.
 */
const setRoleSchema = z.strictObject({
  pid: z.number().int().nonnegative(),
  startNs: z.number().optional(),
  role: z.enum(processRoles),
});
export type SetRole = z.infer<typeof setRoleSchema>;

/** More than anybody corrects by hand. */
export const setRoles = z.array(setRoleSchema).max(1_000);

/** `set` with the role of one process, or without where `role` is null: its guess is back. */
export function withSetRole(
  set: readonly SetRole[],
  { pid, startNs }: Pick<ProcessInfo, 'pid' | 'startNs'>,
  role: SetRole['role'] | null,
): SetRole[] {
  const process = { pid, ...(startNs !== undefined && { startNs }) };
  const others = set.filter((entry) => keyOf(entry) !== keyOf(process));
  return role === null ? others : [...others, { ...process, role }];
}

/** Looks up the role that was set for a process; of several for one process the last stands. */
export function setRoleFinder(
  set: readonly SetRole[],
): (process: Pick<ProcessInfo, 'pid' | 'startNs'>) => Role | undefined {
  const roles = new Map(set.map((entry) => [keyOf(entry), entry.role]));
  return (process) => roles.get(keyOf(process));
}

function keyOf({
  pid,
  startNs,
}: {
  readonly pid: number;
  readonly startNs?: number | undefined;
}): string {
  return `${pid} ${startNs ?? ''}`;
}
