import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the build; throws with the next step where there is none. */
export function builtFile(path: string): string {
  const file = fileURLToPath(new URL(`../../out/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
  return file;
}
