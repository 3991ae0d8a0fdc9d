import {
  codeBlock,
  codeCell,
  codeSpan,
  escapeInline,
  escapeMarkdown,
  escapeParagraph,
  escapeSentence,
} from '../../../src-main/markdown/escape.ts';
import { activeParts, structureOf } from './github-markdown.ts';

/** Every place of a report that a name gets to, and what a plain name makes of it. */
const places: Readonly<Record<string, (name: string) => string>> = {
  'a heading': (name) => `before\n\n## Why slow: ${codeSpan(name)}, 3 ms\n\nafter`,
  'a heading of words': (name) => `before\n\n### Finding: ${escapeInline(name)}\n\nafter`,
  'a paragraph': (name) => `before\n\n${escapeMarkdown(name)} x\n\nafter`,
  'a sentence': (name) => `before\n\n${escapeParagraph(name)} x\n\nafter`,
  'a sentence with code': (name) =>
    `before\n\nx ${escapeSentence(`in \`${name}\`${name}\`code\`${name} (${name}:3)`)}\n\nafter`,
  'the end of a paragraph': (name) => `before **${escapeInline(name)}**\n\nafter`,
  'a list': (name) =>
    `- ${codeSpan(name)}: 3\n- ${escapeMarkdown(name)} x\n- x ${escapeInline(name)}\n\nafter`,
  'a table': (name) =>
    `| a | b |\n|---|--:|\n| ${codeCell(name)}, pid 3 | ${escapeInline(name)} |\n| x | y |\n\nafter`,
  'a quote': (name) => `> **x:** ${escapeInline(name)}\n\nafter`,
  'a block of code': (name) => `before\n\n${codeBlock(name)}\n\nafter`,
  'folded text': (name) =>
    `<details>\n<summary>x</summary>\n\n- ${codeSpan(name)}\n\n</details>\n\nafter`,
};

/** What is wrong with `name` in some place. */
export function wrongPlaces(name: string): string[] {
  return Object.entries(places).flatMap(([place, write]) => {
    const active = activeParts(write(name)).map((part) => `${place}: ${part.slice(0, 200)}`);
    const [plain, hostile] = [structureOf(write('name')), structureOf(write(name))];
    return hostile.join() === plain.join() ? active : [...active, `${place}: ${hostile.join()}`];
  });
}
