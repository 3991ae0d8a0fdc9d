import type { Investigation } from './investigation.ts';

type Named = Pick<Investigation, 'id' | 'name' | 'path' | 'storage' | 'folder'>;

/**
 * Of entries whose name another one has, by their ids: the folder of each, with as many above it as tell them apart.
 * The library's own copies lie in folders that say nothing: of them it is the one that they were made from.
 */
export function foldersOfSameNames(entries: readonly Named[]): ReadonlyMap<number, string> {
  const folders = new Map<number, string>();
  for (const same of Map.groupBy(entries, ({ name }) => name).values())
    if (same.length > 1) tellApart(same, folders);
  return folders;
}

/** A name with what tells it from others: `run.trace.db in first`. */
export function nameInFolder(name: string, folder: string | undefined): string {
  return folder === undefined ? name : `${name} in ${folder}`;
}

function tellApart(same: readonly Named[], folders: Map<number, string>): void {
  const placed = same
    .map((entry) => ({ id: entry.id, above: foldersAbove(entry) }))
    .filter(({ above }) => above.length > 0);
  let open = placed;
  const deepest = Math.max(0, ...placed.map(({ above }) => above.length));
  for (let depth = 1; open.length > 0 && depth <= deepest; depth++) {
    const shownOf = ({ above }: (typeof placed)[number]) => above.slice(-depth).join('/');
    const alike = Map.groupBy(open, shownOf);
    for (const each of open) folders.set(each.id, shownOf(each));
    open = open.filter((each) => (alike.get(shownOf(each)) ?? []).length > 1);
  }
}

function foldersAbove({ path, storage, folder = '' }: Named): readonly string[] {
  const folders = storage === 'copied' ? [folder] : path.split(/[/\\]/).slice(0, -1);
  return folders.filter((name) => name !== '');
}
