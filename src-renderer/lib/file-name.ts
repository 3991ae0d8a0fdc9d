const MAX_LENGTH = 100;

/**
 * `run 7 report.md` for a file made of the investigation `run 7.db`. What hides private words names
 * none: GitHub shows the name of a file that is dropped on it.
 */
export function fileNameFor(investigation: string, what: string, hidePrivate: boolean): string {
  return `${hidePrivate ? 'Stalltrace' : fileStem(investigation)} ${what}`;
}

/** A name without its extension and without what file systems forbid or hide. */
function fileStem(name: string): string {
  const stem = name
    .replace(/^[. -]+/, '')
    .replace(/\.[A-Za-z0-9]{1,10}$/, '')
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, '_')
    .slice(0, MAX_LENGTH)
    .trim();
  return stem === '' ? 'trace' : stem;
}
