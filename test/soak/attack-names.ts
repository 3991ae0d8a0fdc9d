import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { parseMarkdown } from '../../src-main/markdown/tree.ts';
import { writeMarkdown } from '../../src-main/markdown/write.ts';
import { cleanText, escapeInvisible } from '../../src-main/shared/text/text.ts';
import { hostileName, UNREADABLE } from '../fixtures/hostile/names.ts';
import { activeParts, structureOf } from '../support/page/github-markdown.ts';
import { wrongPlaces } from '../support/page/report-places.ts';
import { ofMadeName } from '../support/path-doors.ts';

/**
 * Hands random hostile names to everything that shows, writes or names a file after one: they change
 * words alone, and can be read.
 *
 *   node test/soak/attack-names.ts --runs 5000 --seed 1
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];

function ofNote(name: string): string[] {
  const lines = writeMarkdown(parseMarkdown(name)).split('\n');
  const text = `before\n\n${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\nafter`;
  const outside = structureOf(text).filter((block) => !block.startsWith('>'));
  const active = activeParts(text).filter((part) => !/^(?:link|acts): https?:/.test(part));
  return outside.join() === 'paragraph,quote,paragraph' ? active : [...active, outside.join()];
}

function ofJson(name: string): string[] {
  const json = escapeInvisible(JSON.stringify({ name }));
  const isSame = (JSON.parse(json) as { name: string }).name === name;
  // A flood of marks is what the name is: a program gets it whole.
  const isReadable = !UNREADABLE.test(json.replaceAll(/\p{M}/gu, ''));
  return [...(isSame ? [] : ['another name']), ...(isReadable ? [] : ['unreadable'])];
}

/** What each makes wrong of a name: nothing. */
const doors: Readonly<Record<string, (name: string) => readonly string[]>> = {
  'a line to read': (name) => (UNREADABLE.test(cleanText(name, 5_000)) ? ['unreadable'] : []),
  'a report for GitHub': (name) => wrongPlaces(name),
  'a note in a report': ofNote,
  JSON: ofJson,
  'names of files': (name) => [ofMadeName(name)].filter((outcome) => outcome !== 'inside'),
};

const names = fc.sample(hostileName, { numRuns: runs, seed });
console.log(`${runs} names for each of ${Object.keys(doors).length} doors, seed ${seed}`);
for (const [door, wrongWith] of Object.entries(doors)) {
  let held = 0;
  for (const name of names) {
    const wrong = wrongWith(name);
    if (wrong.length === 0) held++;
    else
      console.error(
        `${door}: ${JSON.stringify(name.slice(0, 200))}: ${wrong.join('; ').slice(0, 300)}`,
      );
  }
  if (held < runs) process.exitCode = 1;
  console.log(`${String(held).padStart(7)} of ${runs} held: ${door}`);
}
