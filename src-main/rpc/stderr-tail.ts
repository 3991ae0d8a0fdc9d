import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { cleanText } from '../shared/text.ts';

const TAIL_CHARACTERS = 32 * 1024;

/** Keeps the last 32 K characters a process wrote to stderr, with control characters neutralised. */
export function createStderrTail(stream: Readable | null): { text(): string } {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  stream?.on('data', (chunk: Buffer) => {
    tail = (tail + decoder.write(chunk)).slice(-TAIL_CHARACTERS);
  });
  return {
    text: () =>
      tail
        .trim()
        .split('\n')
        .map((line) => cleanText(line))
        .join('\n'),
  };
}
