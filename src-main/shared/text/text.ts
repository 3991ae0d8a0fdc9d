/**
 * Names come from traces and remote hosts, so they are hostile: control characters, direction
 * overrides, a megabyte of text. The DOM gets them as text nodes only; this module makes them
 * harmless to read as well.
 */

/** Longest name kept from a trace, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 1024;

// C0, DEL, C1, soft hyphen, grapheme joiner, Hangul and Khmer fillers, zero-width and bidirectional
// controls (Trojan Source, CVE-2021-42574), BOM, annotations, tags and variation selectors (invisible
// letters, a selector after an ideograph apart: it belongs to names), lone surrogates.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}\ud800-\udfff]|\u034f|\u17b4|\u17b5|(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]/gu;

/** No script stacks more marks on a letter; hundreds of them cover the lines around. */
const MARK_FLOOD = /(\p{M}{4})\p{M}+/gu;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Longest symbol kept: a mangled name is worth nothing when it is cut. The agent cuts its own here too. */
export const MAX_SYMBOL_LENGTH = 16_384;

/** What a text that was cut ends in. */
export const CUT_MARK = '…';

/** `text` with invisible and direction-changing characters made visible as `␀`… or `�`, cut to `maxLength`. */
export function cleanText(text: string, maxLength = MAX_NAME_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}${CUT_MARK}` : text;
  if (PRINTABLE_ASCII.test(cut)) return cut;
  return cut
    .replace(INVISIBLE, (character) => {
      const code = character.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? '\u2421' : '\ufffd';
    })
    .replace(MARK_FLOOD, '$1\ufffd');
}

/** The same for every line of a text, each cut to `maxLength`: its line breaks are meant. */
export function cleanLines(text: string, maxLength = Infinity): string {
  return text
    .split('\n')
    .map((line) => cleanText(line, maxLength))
    .join('\n');
}

/** JSON with those characters as `\\u` escapes: the same value, and none of them in its text. */
export function escapeInvisible(json: string): string {
  return json.replace(/[^ -~\n]+/g, (part) =>
    part.replace(INVISIBLE, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    ),
  );
}

/** `text` cut in its middle to `maxLength` characters, so that a path keeps its file name. */
export function shortenMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const head = Math.ceil((maxLength - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (maxLength - 1 - head))}`;
}

/** `text` as the begin of a sentence. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `text` as it goes on after a colon or semicolon. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `text` with a full stop where it lacks one: the notes of a file end as its writer likes. */
export function endSentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}
