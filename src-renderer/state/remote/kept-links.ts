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

export function writeKeptLinks(storage: LinkStorage, links: readonly KeptLink[]): void {
  try {
    storage.setItem(KEY, JSON.stringify(links));
  } catch {
    // Without a storage a reload has to connect again.
  }
}

export function readKeptLinks(storage: LinkStorage): readonly KeptLink[] {
  try {
    const parsed = z
      .array(keptLink)
      .max(100)
      .safeParse(JSON.parse(storage.getItem(KEY) ?? '[]'));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

const PAIRS_KEY = 'stalltrace.compared-with';
const keptPairs = z.array(z.tuple([runId, z.number().int().nonnegative()])).max(100);

/** By the ids of captures, of what entry each was recorded again to be compared with it. */
export type ComparedWith = ReadonlyMap<string, number>;

export function writeComparedWith(storage: LinkStorage, pairs: ComparedWith): void {
  try {
    storage.setItem(PAIRS_KEY, JSON.stringify([...pairs]));
  } catch {
    // Without a storage a reload opens what was brought, and compares it with nothing.
  }
}

export function readComparedWith(storage: LinkStorage): Map<string, number> {
  try {
    const parsed = keptPairs.safeParse(JSON.parse(storage.getItem(PAIRS_KEY) ?? '[]'));
    return new Map(parsed.success ? parsed.data : []);
  } catch {
    return new Map();
  }
}
