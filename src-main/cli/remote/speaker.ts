import type { Failure } from '../../shared/result.ts';
import { reportFailure } from '../report-failure.ts';

/** How a command tells what it does: to a person, or one JSON object a line to a program. */
export interface Speaker {
  readonly json: boolean;
  /** A sentence on stderr for a person; the event for a program. */
  say(sentence: string, event: { readonly event: string; readonly [field: string]: unknown }): void;
  /** What takes the place of the line before it at a terminal; elsewhere it is a line every 10 s. */
  show(line: string): void;
  /** The result, on stdout. */
  print(text: string, event: { readonly event: string; readonly [field: string]: unknown }): void;
  fail(error: Failure): number;
}

const PLAIN_EVERY_MS = 10_000;
const ERASE_LINE = '\r\u001b[K';

export function createSpeaker(json: boolean): Speaker {
  let shown = false;
  let plainAtMs = 0;
  /** Leaves the last live line as it is. */
  function endLine(): void {
    if (shown) process.stderr.write('\n');
    shown = false;
  }
  const emit = (event: object) => console.log(JSON.stringify(event));
  return {
    json,
    say(sentence, event) {
      if (json) return emit(event);
      endLine();
      console.error(sentence);
    },
    show(line) {
      if (json) return;
      if (process.stderr.isTTY) {
        const width = process.stderr.columns - 1;
        process.stderr.write(`${ERASE_LINE}${line.slice(0, width > 0 ? width : 79)}`);
        shown = true;
      } else if (Date.now() - plainAtMs >= PLAIN_EVERY_MS) {
        plainAtMs = Date.now();
        console.error(line);
      }
    },
    print(text, event) {
      if (json) return emit(event);
      endLine();
      console.log(text);
    },
    fail(error) {
      endLine();
      if (json) emit({ event: 'error', error });
      return reportFailure(error);
    },
  };
}
