import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The build under test: `out`, or the one that STALLTRACE_BUILD names. */
const buildFolder = process.env.STALLTRACE_BUILD ?? join(root, 'out');

/** A file of the build; throws with the next step where there is none. */
export function builtFile(path: string): string {
  const file = join(buildFolder, path);
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
  return file;
}
