import { z } from 'zod';
import { hostNote } from '../model/hosts.ts';
import type { Hardware, ProcessInfo, Role } from '../model/trace.ts';
import { MAX_NAME_LENGTH } from '../text/text.ts';

/** The roles a whole process can have: the others are of threads. */
export const processRoles = [
  'main',
  'inference',
  'server',
  'dataloader-worker',
  'launcher',
  'other',
] as const satisfies readonly Role[];

/**
 * A role that the user gave to a process. Its place in a file may change; its host, pid and birth do not.
 * `startNs` is absent where it ran before the recording, `host` in a trace of one host.
 */
const setRoleSchema = z.strictObject({
  host: z.string().max(MAX_NAME_LENGTH).optional(),
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
  hardware: Hosts,
  info: Bearer,
  role: SetRole['role'] | null,
): SetRole[] {
  const process = bearerOf(hardware, info);
  const others = set.filter((entry) => keyOf(entry) !== keyOf(process));
  return role === null ? others : [...others, { ...process, role }];
}

/** Looks up the role that was set for a process; of several for one process the last stands. */
export function setRoleFinder(
  set: readonly SetRole[],
  hardware: Hosts,
): (process: Bearer) => Role | undefined {
  const roles = new Map(set.map((entry) => [keyOf(entry), entry.role]));
  return (process) => roles.get(keyOf(bearerOf(hardware, process)));
}

type Hosts = Pick<Hardware, 'hosts'>;
type Bearer = Pick<ProcessInfo, 'host' | 'pid' | 'startNs'>;

function bearerOf(hardware: Hosts, process: Bearer): Omit<SetRole, 'role'> {
  const { pid, startNs } = process;
  const host = hostNote(hardware, process);
  return { ...(host !== undefined && { host }), pid, ...(startNs !== undefined && { startNs }) };
}

function keyOf({ host = '', pid, startNs }: Omit<SetRole, 'role'>): string {
  return `${pid} ${startNs ?? ''} ${host}`;
}
