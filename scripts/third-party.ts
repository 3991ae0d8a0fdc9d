// `npm run third-party`: writes THIRD-PARTY.md and the licence texts of what the build bundles.
// With --check, as `npm run check` runs it: says what is out of date, and what it could not check.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_LIBRARIES, debianProblems, linkingProblems } from './third-party/agent-libraries.ts';
import { bundledPackages, installedPackages } from './third-party/packages.ts';
import { licenceTexts, thirdPartyPage } from './third-party/page.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const agentTexts = 'resources/licenses/agent';

async function generate(): Promise<Readonly<Record<string, string>>> {
  const bundled = await bundledPackages(root);
  return {
    'THIRD-PARTY.md': thirdPartyPage(bundled, installedPackages(root)),
    'resources/licenses/packages.txt': licenceTexts(bundled),
  };
}

function outdated(files: Readonly<Record<string, string>>): string[] {
  const isCurrent = (path: string, text: string) =>
    existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === text;
  return Object.entries(files)
    .filter(([path, text]) => !isCurrent(path, text))
    .map(([path]) => `${path} is out of date: run "npm run third-party", and read what changed.`);
}

/** The agent's texts are kept by hand: each that is named is there, and no other. */
function textProblems(): string[] {
  const named = [...new Set(AGENT_LIBRARIES.flatMap(({ texts }) => texts))];
  const kept = readdirSync(join(root, agentTexts));
  const missing = named.filter((text) => !kept.includes(text));
  const surplus = kept.filter((text) => !named.includes(text));
  return [
    ...missing.map((text) => `${agentTexts}/${text} is missing.`),
    ...surplus.map((text) => `${agentTexts}/${text} belongs to no library.`),
  ];
}

const files = await generate();
const makefile = readFileSync(join(root, 'agent/Makefile'), 'utf8');
const debian = debianProblems();
const problems = [...linkingProblems(makefile), ...textProblems(), ...debian.problems];
if (process.argv[2] === '--check') problems.push(...outdated(files));
else for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
if (debian.notChecked.length > 0) {
  const packages = debian.notChecked.join(', ');
  console.log(`!!! NOT CHECKED: the licences of ${packages}: Debian's packages are not here.`);
}
for (const problem of problems) console.error(problem);
const unchecked = process.env.CI === 'true' && debian.notChecked.length > 0;
process.exit(problems.length > 0 || unchecked ? 1 : 0);
