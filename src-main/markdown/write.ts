import { codeBlock, codeCell, codeSpan, escapeMarkdown } from './escape.ts';
import { type Block, type Inline, plainText } from './tree.ts';

/**
 * A tree as Markdown that means that tree and nothing else, whoever wrote its source: what was HTML is
 * text, what was a picture is its address, nothing notifies or refers, and no block can be left open.
 * Headings become bold lines, so that they are none of the text around.
 */
export function writeMarkdown(blocks: readonly Block[]): string {
  return linesOf(blocks).join('\n');
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block, at) => [
    // A list right after a list, or a quote after a quote, would be one with it.
    ...(at === 0 ? [] : needsFence(blocks[at - 1], block) ? ['', '<!-- -->', ''] : ['']),
    ...blockLines(block),
  ]);
}

function needsFence(before: Block | undefined, { kind }: Block): boolean {
  return before?.kind === kind && (kind === 'list' || kind === 'quote');
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
    case 'line':
      return inlineText(block.children).split('\n');
    case 'heading':
      return [`**${inlineText([{ kind: 'text', text: plainText(block.children) }])}**`];
    case 'code':
      return codeBlock(block.text, languageOf(block.language)).split('\n');
    case 'html':
      return block.text.split('\n').map((line) => escapeMarkdown(line.trim()));
    case 'quote':
      return linesOf(block.children).map((line) => `> ${line}`);
    case 'details':
      return [`**${escapeMarkdown(block.summary)}**`, '', ...linesOf(block.children)];
    case 'list':
      return block.items.flatMap((item, at) => {
        const mark = block.start === undefined ? '- ' : `${Math.min(block.start + at, 999_999)}. `;
        const box = item.checked === undefined ? '' : `[${item.checked ? 'x' : ' '}] `;
        const lines = linesOf(item.children);
        const indent = ' '.repeat(mark.length);
        return [`${mark}${box}${lines[0] ?? ''}`, ...lines.slice(1).map((line) => indent + line)];
      });
    case 'table':
      return tableLines(block);
    case 'rule':
      return ['---'];
  }
}

/** GitHub draws these from their source, some with tiles from elsewhere. */
const DRAWN = /^(mermaid|geojson|topojson|stl|math)$/i;

function languageOf(language: string): string {
  return /^[\w+#.-]{1,20}$/.test(language) && !DRAWN.test(language) ? language : '';
}

function tableLines({ header, rows, align }: Extract<Block, { kind: 'table' }>): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rules = { left: ':--', center: ':-:', right: '--:' } as const;
  return [
    line(header.map(cellText)),
    line(header.map((_, column) => rules[align[column] ?? 'left'])),
    ...rows.map((row) => line(row.map(cellText))),
  ];
}

/** Of a cell the words alone: form inside cells can end them. */
function cellText(cell: readonly Inline[]): string {
  const [only] = cell;
  if (cell.length === 1 && only?.kind === 'code') return codeCell(only.text);
  return escapeMarkdown(plainText(cell));
}

function inlineText(inlines: readonly Inline[]): string {
  return joined(inlines).map(inlineOf).join('');
}

/** Neighbouring texts as one: `\\@alice` is a text `@` before a text `alice`. */
function joined(inlines: readonly Inline[]): readonly Inline[] {
  const result: Inline[] = [];
  for (const inline of inlines) {
    const last = result.at(-1);
    const isText = inline.kind === 'text' || inline.kind === 'html';
    if (isText && last?.kind === 'text')
      result[result.length - 1] = { kind: 'text', text: last.text + inline.text };
    else result.push(isText ? { kind: 'text', text: inline.text } : inline);
  }
  return result;
}

function inlineOf(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
    case 'html':
      return inline.text.split('\n').map(literal).join('\n');
    case 'code':
      return codeSpan(inline.text);
    case 'break':
      return '\n';
    case 'strong':
      return emphasized('**', inline.children);
    case 'em':
      return emphasized('*', inline.children);
    case 'del':
      return emphasized('~~', inline.children);
    case 'image':
      return `\\[picture: ${literal(plainText(inline.children))} ${codeSpan(inline.href)}\\]`;
    case 'link':
      return linkText(plainText(inline.children), inline.href);
  }
}

/** An address that is its own text may stand as it is where nothing in it means more than itself. */
const PLAIN_ADDRESS = /^https:\/\/[\w.-]+(:\d+)?([/?#][^\s<>\\`|&]*)?$/;

/** A link to the web; any other address is text. */
function linkText(words: string, href: string): string {
  if (words === href && PLAIN_ADDRESS.test(href)) return `<${href}>`;
  if (!/^https?:\/\//i.test(href)) return `${literal(words)} (${codeSpan(href)})`;
  const address = href.replace(/[\\<>\s`|]/g, encodeURIComponent).replaceAll('&', '&amp;');
  return `[${literal(words) || 'link'}](<${address}>)`;
}

/** Spaces at its ends are the text's own: escaping looks at the beginning of a line. */
function literal(text: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return `${before === '' ? '' : ' '}${escapeMarkdown(words)}${after === '' ? '' : ' '}`;
}

/** Marks bind only to what is no space. */
function emphasized(mark: string, children: readonly Inline[]): string {
  const words = inlineText(children);
  return words.trim() === '' || words.includes('\n') ? words : `${mark}${words.trim()}${mark}`;
}
