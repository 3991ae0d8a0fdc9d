import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };

/** What tells this build of Stalltrace from every other: its version and the files that run. */
export function buildStamp(): string {
  const folder = dirname(import.meta.filename);
  const files = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name));
  const stamps = files.sort().map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return [packageJson.version, ...stamps].join('\n');
}
