import type { Failure } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';

/** How a command tells what it does: to a person, or one JSON object a line to a program. */
export interface Speaker {
  readonly json: boolean;
  /** A sentence on stderr for a person; the event for a program. */
  say(sentence: string, event: { readonly event: string; readonly [field: string]: unknown }): void;
  /** What takes the place of the line before it at a terminal; elsewhere it is a line every 10 s. */
  show(line: string): void;
  /** What is being done now, at a terminal only: whatever is told next takes its place. */
  step(text: string): void;
  /** Nothing is being done any more, or somebody is asked something. */
  endStep(): void;
  /** The result, on stdout. */
  print(text: string, event: { readonly event: string; readonly [field: string]: unknown }): void;
  fail(error: Failure): number;
}

const PLAIN_EVERY_MS = 10_000;
const ERASE_LINE = '\r\u001b[K';

export function createSpeaker(json: boolean): Speaker {
  /** What the cursor stands behind. */
  let shown: 'nothing' | 'line' | 'step' = 'nothing';
  let plainAtMs = 0;
  function endStep(): void {
    if (shown !== 'step') return;
    process.stderr.write(ERASE_LINE);
    shown = 'nothing';
  }
  /** Leaves the last live line as it is. */
  function endLine(): void {
    endStep();
    if (shown === 'line') process.stderr.write('\n');
    shown = 'nothing';
  }
  const emit = (event: object) => printJson(event, 0);
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
        draw(line);
        shown = 'line';
      } else if (Date.now() - plainAtMs >= PLAIN_EVERY_MS) {
        plainAtMs = Date.now();
        console.error(line);
      }
    },
    step(text) {
      if (json || !process.stderr.isTTY) return;
      if (shown === 'line') endLine();
      draw(`${cleanText(text, 300).replace(/\.$/, '')} …`);
      shown = 'step';
    },
    endStep,
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

function draw(line: string): void {
  const width = process.stderr.columns - 1;
  process.stderr.write(`${ERASE_LINE}${line.slice(0, width > 0 ? width : 79)}`);
}
