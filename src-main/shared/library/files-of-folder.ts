/** Beside a database, no trace of its own. */
const BESIDE = /-(wal|shm|journal)$/;
const HIDDEN = /^\./;
/** What desktops leave in each folder they show, which nobody misses. */
const OF_DESKTOP = /^\.(?:_|DS_Store$|localized$|directory$)/;

/** Whether a file of a folder may be a trace, by its name. */
export const mayBeTrace = (name: string): boolean => !HIDDEN.test(name) && !BESIDE.test(name);

/** Whether a file of a folder is passed over only since its name begins with a dot. */
export const isHidden = (name: string): boolean =>
  HIDDEN.test(name) && !OF_DESKTOP.test(name) && !BESIDE.test(name);

/** rank2 before rank10. */
export const naturally = new Intl.Collator('en', { numeric: true }).compare;

/** Names beyond these are counted only. */
const NAMES_TOLD = 5;

/** `a.db, b.db and 3 more`. */
export function namesIn(names: readonly string[]): string {
  const more = names.length - NAMES_TOLD;
  const told = names.slice(0, NAMES_TOLD).join(', ');
  return more > 0 ? `${told} and ${more} more` : told;
}

/** `hidden (names that begin with a dot): .a.db, .b.db`, without a full stop. */
export function hiddenWords(names: readonly string[]): string {
  const begin = names.length === 1 ? 'a name that begins' : 'names that begin';
  return `hidden (${begin} with a dot): ${namesIn(names)}`;
}
