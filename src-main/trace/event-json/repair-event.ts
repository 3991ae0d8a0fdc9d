import { MORE } from './json-bytes.ts';
import { textOf } from './text-table.ts';
import { type EventContext, NO_TASK, TEXT_TASK, type TraceEvent } from './trace-event.ts';

/**
 * Events that are no JSON, as recorders write them where a name has a quote, a line break or a control character
 * in it (pytorch issues 113001 and 130622, kineto issue 1459).
 */

/** The keys that an event begins with, whoever writes it. */
const KEYS = 'ph|name|cat|pid|tid|ts|dur|args|id|s|bp';
/**
 * What ends one event and begins another, or ends all events. No two runs of white space stand side by side in it: a
 * file of nothing else would be tried for hours.
 */
const boundary = (ends: string) =>
  new RegExp(
    `\\}\\s*(?:,\\s*(?:\\{\\s*"(?:${KEYS})"\\s*:|\\]\\s*(?:${ends}))|\\]\\s*(?:${ends}))`,
    'g',
  );
const BOUNDARY = boundary(',\\s*"|\\}');
/** The same where the file ends there. */
const LAST_BOUNDARY = boundary(',\\s*"|\\}|$');
/** Most events end within so many bytes; where not, four times as many are looked at. */
const FIRST_BYTES = 4096;

/**
 * Where the event that begins at `at` must end, whatever is in it: behind its brace. `MORE` where no such place is
 * among the bytes at hand; `isLast`: the file ends with them.
 */
export function boundaryBehind(bytes: Buffer, at: number, end: number, isLast: boolean): number {
  for (let length = FIRST_BYTES; ; length *= 4) {
    const isAll = at + length >= end;
    const text = bytes.toString('latin1', at, Math.min(end, at + length));
    const pattern = isAll && isLast ? LAST_BOUNDARY : BOUNDARY;
    pattern.lastIndex = 1;
    const found = pattern.exec(text);
    if (found !== null) return at + found.index + 1;
    if (isAll) return MORE;
  }
}

const plain = (key: string) =>
  new RegExp(`"${key}"\\s*:\\s*("[^"\\\\\\n]{0,64}"|-?[\\d.eE+-]{1,40})\\s*[,}]`, 'g');
const fields = {
  ph: plain('ph'),
  ts: plain('ts'),
  dur: plain('dur'),
  pid: plain('pid'),
  tid: plain('tid'),
  cat: plain('cat'),
};
/** A name ends where the next key begins; quotes before that are its own. */
const NAME = new RegExp(`"name"\\s*:\\s*"([^]*?)"\\s*(?:,\\s*"(?:${KEYS})"\\s*:|\\}$)`, 'y');
/** What is longer is not repaired. */
const MAX_BYTES = 2 ** 18;
const ARGS = /"args"\s*:\s*\{/;

/**
 * Reads what stands between `at` and `to` into `event`, which is no JSON. False where a field of it could be more
 * than one thing: then nothing is guessed.
 */
export function repairEvent(
  event: TraceEvent,
  { texts, baseUs }: EventContext,
  bytes: Buffer,
  at: number,
  to: number,
): boolean {
  event.clear();
  if (to - at > MAX_BYTES) return false;
  const text = bytes.toString('latin1', at, to);
  const args = ARGS.exec(text);
  const head = args === null ? text : text.slice(0, args.index);
  const [ph, ts] = [only(head, fields.ph), only(head, fields.ts)];
  const name = nameIn(args === null ? text : text.slice(0, args.index + args[0].length));
  if (ph === undefined || ph.length !== 3 || ts === undefined || name === null) return false;
  event.phase = ph.charCodeAt(1);
  event.startNs = micros(ts, baseUs);
  const dur = only(head, fields.dur);
  if (dur !== undefined) event.durationNs = micros(dur, 0);
  const [pid, tid, cat] = [only(head, fields.pid), only(head, fields.tid), only(head, fields.cat)];
  const task = (value: string | undefined) => {
    if (value === undefined) return NO_TASK;
    const bare = value.replaceAll('"', '');
    return /^-?\d{1,10}$/.test(bare) ? Number(bare) : TEXT_TASK + texts.numberOfText(bare);
  };
  event.process = task(pid);
  event.thread = task(tid);
  if (cat !== undefined) event.category = texts.numberOfText(cat.replaceAll('"', ''));
  const raw = Buffer.from(name[1], 'latin1');
  event.name = texts.numberOfText(textOf(raw, 0, raw.length));
  if (args !== null) {
    event.argsFrom = at + args.index + args[0].length - 1;
    event.argsTo = to - 1;
  }
  return Number.isFinite(event.startNs);
}

function nameIn(text: string): RegExpExecArray | null {
  NAME.lastIndex = Math.max(0, text.indexOf('"name"'));
  return NAME.exec(text);
}

function only(text: string, pattern: RegExp): string | undefined {
  const found = [...text.matchAll(pattern)];
  return found.length === 1 ? found[0][1] : undefined;
}

function micros(value: string, baseUs: number): number {
  const [whole, fraction = ''] = value.replaceAll('"', '').split('.');
  return (Number(whole) - baseUs) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
