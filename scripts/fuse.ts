// `npm run fuse -- PATH`: sets the fuses of a packaged Electron (its binary, or its .app) and reads
// them back. `npm run fuse -- --check PATH` only reads, and fails where one is not as it should be.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { applyFuses, FUSES, fuseProblems } from './fuses.ts';

function end(sentence: string): never {
  console.error(`stalltrace: ${sentence}`);
  process.exit(1);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { check: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) throw new Error('name one binary or .app');
    // npm runs this in the project's folder; a path is taken from where the user stands.
    return { check: values.check, electron: resolve(process.env.INIT_CWD ?? '.', path) };
  } catch (error) {
    return end(`${(error as Error).message}. Use: npm run fuse -- [--check] PATH`);
  }
}

const { check, electron } = readArguments();
if (!existsSync(electron)) end(`${electron} does not exist.`);
try {
  if (!check) await applyFuses(electron);
  const problems = check ? await fuseProblems(electron) : [];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) end(`${electron}: set them with "npm run fuse -- ${electron}".`);
  console.log(`${electron}: all ${Object.keys(FUSES).length} fuses are as they should be.`);
} catch (error) {
  end(`the fuses of ${electron} cannot be ${check ? 'read' : 'set'}: ${(error as Error).message}`);
}
