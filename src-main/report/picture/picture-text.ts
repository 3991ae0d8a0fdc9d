import type { TextRuler } from '../../timeline/view/lane-labels.ts';

/** U+FFFE and U+FFFF are no characters of XML 1.0 (section 2.2); the other forbidden ones are cleaned before. */
const NO_XML = /[\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Cleaned text as XML text or attribute value. */
export const escapeXml = (text: string): string =>
  text.replace(NO_XML, '\ufffd').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Widths of characters in em, of the usual sans-serif fonts, rather too wide. */
const WIDTHS: readonly (readonly [characters: RegExp, em: number])[] = [
  [/[ijl|.,:;'!\s]/, 0.3],
  [/[frt()[\]{}/\\"-]/, 0.4],
  [/[mwMW@%]/, 0.92],
  [/[A-Z]/, 0.72],
  [/[0-9a-z]/, 0.6],
];
const OTHER_LATIN = 0.66;
const FULL_WIDTH = 1.05;

function characterWidth(character: string): number {
  if ((character.codePointAt(0) ?? 0) >= 0x1100) return FULL_WIDTH;
  return WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? OTHER_LATIN;
}

/** About how wide text will be: nothing in Node can measure it. */
export function textRuler(fontPx: number): TextRuler {
  const width = (text: string) => {
    let em = 0;
    for (const character of text) em += characterWidth(character);
    return em * fontPx;
  };
  return {
    width,
    fit(text, room) {
      if (width(text) <= room) return text;
      const characters = [...text];
      let used = width('…');
      const kept = characters.findIndex((character) => {
        used += characterWidth(character) * fontPx;
        return used > room;
      });
      return kept < 3 ? '' : `${characters.slice(0, kept).join('')}…`;
    },
  };
}
