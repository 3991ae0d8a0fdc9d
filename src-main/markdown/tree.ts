import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';
import { cleanLines } from '../shared/text/text.ts';
import { decodeReferences } from './character-references.ts';

/**
 * GitHub's Markdown as a small tree for components that write text nodes only. The text is hostile:
 * nothing in the tree is HTML, an image is its words and its address, a link likewise. HTML stays to be
 * read as source, save `<details>`, `<br>` and the empty comment, which the report writes itself.
 */

export type Inline =
  | { readonly kind: 'text' | 'code' | 'html'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  | { readonly kind: 'link' | 'image'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'break' };

interface ListItem {
  /** Whether its box is ticked, where it has one. */
  readonly checked?: boolean;
  readonly children: readonly Block[];
}

type Alignment = 'left' | 'center' | 'right' | null;

export type Block =
  | { readonly kind: 'paragraph' | 'line'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'html'; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | { readonly kind: 'details'; readonly summary: string; readonly children: readonly Block[] }
  | { readonly kind: 'list'; readonly start?: number; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table';
      readonly align: readonly Alignment[];
      readonly header: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };

/** Blocks and inlines within each other, deeper than any text that is meant to be read. */
const MAX_DEPTH = 24;

/** A line that begins with more lists and quotes in each other: marked needs seconds for thousands. */
const DEEP_LINE = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){64}/m;

/** How far an inline rule looks ahead, in characters. */
const REACH = 4_000;

/** Inline rules cost the square of their text: `a_` repeated 50,000 times took 18 s. */
class BoundedTokenizer extends Tokenizer {
  override emStrong(...args: Parameters<Tokenizer['emStrong']>) {
    return args[0].length > REACH ? undefined : super.emStrong(...args);
  }

  override inlineText(source: string) {
    return super.inlineText(source.slice(0, REACH));
  }

  override url(source: string) {
    return super.url(source.slice(0, REACH));
  }
}

/** `source` as a tree; text nested too deep for that is one block of plain text. */
export function parseMarkdown(source: string): readonly Block[] {
  if (DEEP_LINE.test(source)) return [{ kind: 'html', text: cleanLines(source) }];
  try {
    const options = { gfm: true, breaks: true, tokenizer: new BoundedTokenizer() };
    return blocksOf(new Lexer(options).lex(source), 0);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return [{ kind: 'html', text: cleanLines(source) }];
  }
}

const DETAILS_START = /^<details>\s*<summary>([^<>]*)<\/summary>\s*$/;
const DETAILS_END = /^<\/details>\s*$/;

function blocksOf(tokens: readonly Token[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const summary = DETAILS_START.exec(tokens[at].type === 'html' ? tokens[at].raw : '')?.[1];
    if (summary === undefined || depth >= MAX_DEPTH) {
      blocks.push(...blockOf(tokens[at], depth));
      continue;
    }
    const end = tokens.findIndex((token, index) => index > at && DETAILS_END.test(token.raw));
    const inside = tokens.slice(at + 1, end === -1 ? undefined : end);
    const children = blocksOf(inside, depth + 1);
    blocks.push({ kind: 'details', summary: cleanLines(decodeReferences(summary)), children });
    at += inside.length + (end === -1 ? 0 : 1);
  }
  return blocks;
}

function blockOf(token: Token, depth: number): Block[] {
  if (depth >= MAX_DEPTH) return [{ kind: 'html', text: cleanLines(token.raw) }];
  // The lexer names its tokens; an extension could add others, and there is none.
  const known = token as MarkedBlock;
  switch (known.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'heading':
      return [{ kind: 'heading', level: known.depth, children: inlinesOf(known.tokens, depth) }];
    case 'paragraph':
      return [{ kind: 'paragraph', children: inlinesOf(known.tokens, depth) }];
    case 'text':
      return [{ kind: 'line', children: inlinesOf(known.tokens ?? [known], depth) }];
    case 'code':
      return [
        { kind: 'code', language: cleanLines(known.lang ?? ''), text: cleanLines(known.text) },
      ];
    case 'blockquote':
      return [{ kind: 'quote', children: blocksOf(known.tokens, depth + 1) }];
    case 'list':
      return [listOf(known, depth)];
    case 'table':
      return [tableOf(known, depth)];
    default:
      return [{ kind: 'html', text: cleanLines(token.raw.trimEnd()) }];
  }
}

type MarkedBlock =
  | Tokens.Space
  | Tokens.Def
  | Tokens.Checkbox
  | Tokens.Hr
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.HTML;

function listOf(list: Tokens.List, depth: number): Block {
  return {
    kind: 'list',
    ...(list.ordered && { start: list.start === '' ? 1 : list.start }),
    items: list.items.map((item) => ({
      ...(item.task && { checked: item.checked === true }),
      children: blocksOf(item.tokens, depth + 1),
    })),
  };
}

function tableOf(table: Tokens.Table, depth: number): Block {
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map(({ tokens }) => inlinesOf(tokens, depth));
  return {
    kind: 'table',
    align: table.align,
    header: cells(table.header),
    rows: table.rows.map(cells),
  };
}

function inlinesOf(tokens: readonly Token[], depth: number): Inline[] {
  return tokens.flatMap((token) => inlineOf(token, depth + 1));
}

type MarkedInline =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Link
  | Tokens.Image
  | Tokens.Tag;

function inlineOf(token: Token, depth: number): Inline[] {
  if (depth >= MAX_DEPTH) return [{ kind: 'text', text: cleanLines(token.raw) }];
  const known = token as MarkedInline;
  switch (known.type) {
    case 'text':
      if (known.tokens !== undefined) return inlinesOf(known.tokens, depth);
      return [{ kind: 'text', text: cleanLines(decodeReferences(known.text)) }];
    case 'escape':
      return [{ kind: 'text', text: cleanLines(known.text) }];
    case 'codespan':
      return [{ kind: 'code', text: cleanLines(known.text) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'strong':
    case 'em':
    case 'del':
      return [{ kind: known.type, children: inlinesOf(known.tokens, depth) }];
    case 'link':
    case 'image': {
      const children = inlinesOf(known.tokens, depth);
      return [{ kind: known.type, href: cleanLines(decodeReferences(known.href)), children }];
    }
    default:
      return htmlInlineOf(token.raw);
  }
}

function htmlInlineOf(raw: string): Inline[] {
  if (raw === '<!-- -->') return [];
  return /^<br\s*\/?>$/i.test(raw)
    ? [{ kind: 'break' }]
    : [{ kind: 'html', text: cleanLines(raw) }];
}

/** The words of inlines, without their form. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.kind === 'break') return ' ';
      return 'text' in inline ? inline.text : plainText(inline.children);
    })
    .join('');
}
