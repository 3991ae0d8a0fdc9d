import { type Block, type Inline, parseMarkdown, plainText } from './tree.ts';

/** The words of Markdown line by line, without their form: for places that show one line of text. */
export function plainLines(source: string): string[] {
  return linesOf(parseMarkdown(source))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const linesOf = (blocks: readonly Block[]): string[] => blocks.flatMap(linesOfBlock);

function linesOfBlock(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
    case 'line':
    case 'heading':
      return brokenAt(block.children);
    case 'code':
    case 'html':
      return block.text.split('\n');
    case 'quote':
      return linesOf(block.children);
    case 'details':
      return [block.summary, ...linesOf(block.children)];
    case 'list':
      return block.items.flatMap(({ children }) => linesOf(children));
    case 'table':
      return [block.header, ...block.rows].map((cells) => cells.map(plainText).join(' · '));
    case 'rule':
      return [];
  }
}

/** One line for every line break that is not within something else. */
function brokenAt(inlines: readonly Inline[]): string[] {
  const lines: Inline[][] = [[]];
  for (const inline of inlines) {
    if (inline.kind === 'break') lines.push([]);
    else lines.at(-1)?.push(inline);
  }
  return lines.map(plainText);
}
