import { plainLines } from '../../../src-main/markdown/plain.ts';

interface Excerpt {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

/** Private-use characters that stand around the hit while the text is read: no keyboard has them. */
const OPEN = '\uE0F0';
const CLOSE = '\uE0F1';

/** An excerpt of Markdown as plain text; as it was written where the hit is in the marks themselves. */
export function plainMatch(match: Excerpt): Excerpt {
  const { before, hit, after } = match;
  const text = plainLines(`${before}${OPEN}${hit}${CLOSE}${after}`).join(' ');
  const open = text.indexOf(OPEN);
  const close = text.indexOf(CLOSE);
  if (open < 0 || close < open) return match;
  return {
    before: text.slice(0, open),
    hit: text.slice(open + 1, close),
    after: text.slice(close + 1),
  };
}
