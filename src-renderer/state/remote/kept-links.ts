import { z } from 'zod';
import type { ConnectedHost } from '../../../src-main/shared/remote/connection.ts';
import { hostTarget } from '../../../src-main/shared/remote/host-target.ts';
import { runId } from '../../../src-main/shared/remote/run.ts';

/**
 * The connections of a window, for the same window after a reload: the app keeps them open for a while.
 * Names and addresses only, in the storage of the window, which ends with it.
 */

const KEY = 'stalltrace.hosts';

export type LinkStorage = Pick<Storage, 'getItem' | 'setItem'>;

const keptLink = z.object({
  target: hostTarget,
  label: z.string(),
  host: z.custom<ConnectedHost>(
    (value) =>
      z.object({ connection: z.uuid(), user: z.string(), address: z.string() }).safeParse(value)
        .success,
  ),
  /** The captures that are followed by it. */
  runs: z.array(runId),
  /** Whether it is the one that was worked with, and on which step. */
  step: z.enum(['check', 'capture']).optional(),
});
export type KeptLink = z.infer<typeof keptLink>;

/** What cannot be kept is lost with a reload: then one has to connect, open or compare by hand. */
function keep(storage: LinkStorage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // A window may have no storage, or a full one.
  }
}

function readKept<T>(storage: LinkStorage, key: string, schema: z.ZodType<T[]>): readonly T[] {
  try {
    const parsed = schema.safeParse(JSON.parse(storage.getItem(key) ?? '[]'));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

export const writeKeptLinks = (storage: LinkStorage, links: readonly KeptLink[]): void =>
  keep(storage, KEY, links);

export const readKeptLinks = (storage: LinkStorage): readonly KeptLink[] =>
  readKept(storage, KEY, z.array(keptLink).max(100));

const entryId = z.number().int().nonnegative();
const GROUPS_KEY = 'stalltrace.recorded-together';
const runGroup = z.object({
  /** In the order of the hosts. `entry`: of the library, once it was brought. */
  runs: z.array(z.object({ id: runId, entry: entryId.optional() })).max(100),
  /** The entry that what they bring is to be compared with. */
  before: entryId.optional(),
});
/** Captures that were started together. */
export type RunGroup = z.infer<typeof runGroup>;

export const writeRunGroups = (storage: LinkStorage, groups: readonly RunGroup[]): void =>
  keep(storage, GROUPS_KEY, groups);

export const readRunGroups = (storage: LinkStorage): readonly RunGroup[] =>
  readKept(storage, GROUPS_KEY, z.array(runGroup).max(100));
