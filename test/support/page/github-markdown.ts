import { Lexer, type Token, type Tokens } from 'marked';
import { UNREADABLE } from '../../fixtures/hostile/names.ts';

/** HTML that a report writes itself; anything else came out of a name. */
const OWN_HTML = /<!-- -->|<\/?details>|<summary>[^<>]*<\/summary>|<br>/g;
/** Addresses that a report names itself. */
const OWN_LINK =
  /^https:\/\/(?:docs\.pytorch\.org|pytorch\.org|man7\.org|docs\.nvidia\.com|developer\.nvidia\.com|docs\.kernel\.org|www\.kernel\.org|docs\.python\.org|github\.com\/(?:pytorch|python|NVIDIA))/;
/** What GitHub makes of plain text: mentions, references, emoji, addresses. https://docs.github.com/get-started/writing-on-github */
const ACTS =
  /(?:^|[^\w])@\w|(?:^|[^\w&])#\d|\bgh-\d|:(?:[+-]1|100|1234|[\w+-]*[a-z][\w+-]*):|:\/\/|www\.\w|\w@\w+\.\w|(?:mailto|xmpp):\S+@\w/i;

const lex = (markdown: string) => new Lexer({ gfm: true, breaks: true }).lex(markdown);

/** What in a text for GitHub would load, link, notify, refer or be hidden: nothing, if all is well. */
export function activeParts(markdown: string): string[] {
  const found = flowOf(lex(markdown)).flatMap((part) => {
    if (part.kind === 'text') return ACTS.test(part.text) ? [`acts: ${part.text}`] : [];
    if (part.kind === 'html')
      return part.text.replaceAll(OWN_HTML, '').trim() === '' ? [] : [`HTML: ${part.text}`];
    if (part.kind === 'link') return OWN_LINK.test(part.text) ? [] : [`link: ${part.text}`];
    return [`image: ${part.text}`];
  });
  const unreadable = markdown.split('\n').filter((line) => UNREADABLE.test(line));
  return [...found, ...unreadable.map((line) => `unreadable: ${JSON.stringify(line)}`)];
}

interface Part {
  readonly kind: 'text' | 'html' | 'link' | 'image';
  readonly text: string;
}

/** Inline parts in order; neighbouring texts and escapes are one text, as they are in the page. */
function flowOf(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  for (const token of tokens) {
    if (token.type === 'code') continue;
    // What stands on either side of it is no one text.
    if (token.type === 'codespan') {
      addText(parts, ' ');
      continue;
    }
    if (token.type === 'image' || token.type === 'link') {
      parts.push({ kind: token.type, text: token.href });
      if (token.type === 'image' || OWN_LINK.test(token.href)) continue;
    }
    if (token.type === 'html') parts.push({ kind: 'html', text: token.text });
    else if ('tokens' in token || token.type === 'table' || token.type === 'list')
      parts.push(...flowOf(childrenOf(token)));
    else if (token.type === 'text' || token.type === 'escape') addText(parts, token.text);
  }
  return parts;
}

function addText(parts: Part[], text: string): void {
  const last = parts.at(-1);
  if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text };
  else parts.push({ kind: 'text', text });
}

function childrenOf(token: Token): Token[] {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    // Each cell ends what was before it.
    return [...header, ...rows.flat()].flatMap(({ tokens }) => [
      ...tokens,
      { type: 'br', raw: '' },
    ]);
  }
  if (token.type === 'list') return (token as Tokens.List).items;
  return [...('tokens' in token ? (token.tokens ?? []) : []), { type: 'br', raw: '' }];
}

/** The blocks of a text, without their words: what no name may change. */
export function structureOf(markdown: string): string[] {
  return outline(lex(markdown));
}

function outline(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    switch (token.type) {
      case 'space':
        return [];
      case 'heading':
        return [`heading ${token.depth}`];
      case 'table':
        return [`table of ${token.header.length} by ${token.rows.length}`];
      case 'list':
        return [`list of ${token.items.length}`];
      case 'code':
        return [`code ${token.lang}`];
      case 'blockquote':
        return ['quote', ...outline(token.tokens ?? []).map((line) => `> ${line}`)];
      case 'html':
        return [`HTML ${token.text.replaceAll(/>[^<>]+</g, '>…<').trim()}`];
      default:
        return [token.type];
    }
  });
}
