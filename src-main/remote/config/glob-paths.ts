import { readdirSync, statSync } from 'node:fs';
import { join, parse, sep } from 'node:path';

/** Most paths that one pattern stands for. */
const MOST = 1024;

/** The existing paths that an absolute pattern with `*`, `?` and `[…]` stands for, sorted, like glob(3). */
export function globPaths(pattern: string): readonly string[] {
  // No file is called that, and Node throws where it is asked.
  if (pattern.includes('\0')) return [];
  const { root } = parse(pattern);
  const parts = pattern
    .slice(root.length)
    .split(/[/\\]/.test(sep) && sep === '\\' ? /[/\\]/ : '/')
    .filter((part) => part !== '');
  let paths = [root];
  for (const part of parts) {
    paths = /[*?[]/.test(part)
      ? paths.flatMap((folder) => entriesLike(folder, part)).slice(0, MOST)
      : paths.map((folder) => join(folder, part));
  }
  return paths.filter(exists).sort((a, b) => (a < b ? -1 : 1));
}

function entriesLike(folder: string, pattern: string): string[] {
  const regex = globRegex(pattern);
  try {
    return readdirSync(folder)
      .filter((name) => regex.test(name) && (pattern.startsWith('.') || !name.startsWith('.')))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function globRegex(pattern: string): RegExp {
  const source = pattern.replace(/\*+|\?|\[[!^]?\]?[^\]]*\]|[^*?[]+|\[/g, (piece) => {
    if (piece.startsWith('*')) return '.*';
    if (piece === '?') return '.';
    if (/^\[.+\]$/s.test(piece)) {
      return `[${piece
        .slice(1, -1)
        .replace(/^[!^]/, '^')
        .replace(/[\\\]]/g, '\\$&')}]`;
    }
    return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    // A class that is none, as `[z-a]`: nothing is called that.
    return /(?!)/;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
