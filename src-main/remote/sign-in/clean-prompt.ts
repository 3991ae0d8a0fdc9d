import { cleanLines, MAX_NAME_LENGTH } from '../../shared/text/text.ts';

/** More of what a server asks is not shown, in UTF-16 code units. */
export const LONGEST_PROMPT = 2000;

/** A prompt as it may be shown. It has lines of its own: a menu of second factors. */
export function cleanPrompt(text: string): string {
  return cleanLines(text.slice(0, LONGEST_PROMPT).replaceAll('\r\n', '\n'), MAX_NAME_LENGTH);
}
