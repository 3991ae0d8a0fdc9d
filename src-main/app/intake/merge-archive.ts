import type { LibraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import type { Investigation, MergedArchive, Verdict } from '../../shared/library/investigation.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ErrorOf } from '../../shared/rpc/rpc.ts';
import type { Unpacked } from '../opening/unpack-archive.ts';
import type { Services } from '../services/services.ts';

export type LibraryError = ErrorOf<LibraryProcessCalls, 'change'>;

/** As many as tagsSchema allows. */
const MAX_TAGS = 50;

/**
 * Gives an entry that was known what it lacks of a .stalltrace file: tags, and the verdict where it
 * has none, and roles of processes likewise. Nothing of the user's is replaced; the answer says what was kept instead.
 */
export async function mergeArchive(
  { library }: Services,
  sent: Unpacked,
  { id, name, tags, verdict }: Investigation,
): Promise<Result<MergedArchive, LibraryError>> {
  const own = await library.call('view', { id });
  if (!own.ok) return own;
  const tagsAdded = missingTags(tags, sent.tags);
  const verdictAdded = verdict === undefined && sent.verdict !== undefined;
  if (tagsAdded.length > 0 || verdictAdded) {
    const changed = await library.call('change', {
      id,
      tags: [...tags, ...tagsAdded],
      ...(verdictAdded && { verdict: sent.verdict }),
    });
    if (!changed.ok) return changed;
  }
  const roles = await takeRoles(library, id, sent.roles);
  if (!roles.ok) return roles;
  const view = isSame(sent.view, own.value ?? undefined) ? undefined : sent.view;
  const keepsVerdict = verdict !== undefined && isOther(verdict, sent.verdict);
  return ok({
    tagsAdded: tagsAdded.length,
    verdictAdded,
    kept: [
      ...(name === sent.name ? [] : (['name'] as const)),
      ...(keepsVerdict ? (['verdict'] as const) : []),
      ...(own.value === null || view === undefined ? [] : (['view'] as const)),
    ],
    ...(view !== undefined && { view }),
  });
}

/** Roles of processes, where the entry has none of its own. */
async function takeRoles(
  library: Services['library'],
  id: number,
  sent: Unpacked['roles'],
): Promise<Result<null, LibraryError>> {
  if (sent.length === 0) return ok(null);
  const own = await library.call('roles', { id });
  if (!own.ok) return own;
  return own.value.length > 0 ? ok(null) : library.call('saveRoles', { id, roles: [...sent] });
}

/** Tags that differ in case only are one. */
function missingTags(own: readonly string[], sent: readonly string[]): readonly string[] {
  const known = new Set(own.map((tag) => tag.toLowerCase()));
  const missing = sent.filter((tag) => {
    const key = tag.normalize('NFC').toLowerCase();
    return !known.has(key) && known.add(key);
  });
  return missing.slice(0, Math.max(0, MAX_TAGS - own.length));
}

function isOther(own: Verdict, sent: Verdict | undefined): boolean {
  return sent !== undefined && (own.kind !== sent.kind || own.text !== sent.text);
}

/** Both were read by one schema, so that their fields stand in one order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
