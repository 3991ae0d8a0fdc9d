import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { cleanLines, cleanText, MAX_NAME_LENGTH } from '../shared/text/text.ts';

const TAIL_CHARACTERS = 32 * 1024;

/**
 * Keeps the last 32 K characters a process wrote to stderr, with control characters neutralised;
 * hands each whole line to `onLine` as it comes.
 */
export function createStderrTail(
  stream: Readable | null,
  onLine: (line: string) => void = () => undefined,
): { text(): string } {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  let unfinished = '';
  stream?.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    tail = (tail + text).slice(-TAIL_CHARACTERS);
    const lines = (unfinished + text).split('\n');
    unfinished = (lines.pop() ?? '').slice(-TAIL_CHARACTERS);
    for (const line of lines) onLine(cleanText(line));
  });
  return {
    text: () => cleanLines(tail.trim(), MAX_NAME_LENGTH),
  };
}
