import { randomBytes } from 'node:crypto';
import { openShell } from '../shell/open-shell.ts';
import type { Channel, Transport } from '../transport/transport.ts';
import { dateClock } from './date-clock.ts';

/** How far a host's clock is from this machine's. */
export interface ClockOffset {
  /** Host's − this machine's. */
  readonly offsetMs: number;
  /** At most so wrong. */
  readonly uncertaintyMs: number;
}

const ROUNDS = 3;
const TIMEOUT_MS = 20_000;

/**
 * Asks a shell on the host for the time: what it says was so within the round trip of the shortest of a
 * few. `undefined` where it doesn't say.
 */
export async function measureClock(
  transport: Transport,
  signal: AbortSignal,
): Promise<ClockOffset | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const opened = await openShell(transport, limited);
  if (!opened.ok) return undefined;
  const channel = opened.value;
  channel.stderr.resume();
  const nonce = randomBytes(8).toString('hex');
  const [head, tail] = [nonce.slice(0, 8), nonce.slice(8)];
  const answers = new Answers(channel, nonce, limited);
  const clock = dateClock();
  let best: ClockOffset | undefined;
  // The first one waits for the login shell's rc files.
  for (let round = 0; round <= ROUNDS; round++) {
    const asked = clock.now();
    channel.stdin.write(`printf '%s%s %s\\n' ${head} ${tail} "$(date +%s%N)"\n`);
    const answer = await answers.next();
    const answered = clock.now();
    if (answer === undefined) break;
    const measured = offsetOf(answer, asked, answered, clock.uncertaintyMs);
    if (measured === undefined) break;
    if (best === undefined || measured.uncertaintyMs < best.uncertaintyMs) best = measured;
  }
  channel.close();
  return best;
}

/** `%s%N`; busybox knows no %N: then it is within the second. */
function offsetOf(
  answer: string,
  asked: number,
  answered: number,
  ownMs: number,
): ClockOffset | undefined {
  const digits = /^\d{10,19}/.exec(answer)?.[0];
  if (digits === undefined) return undefined;
  const middle = (asked + answered) / 2;
  const half = (answered - asked) / 2 + ownMs;
  if (digits.length === 19) {
    return { offsetMs: Number(BigInt(digits) / 1000n) / 1000 - middle, uncertaintyMs: half };
  }
  const seconds = Number(digits.slice(0, 10));
  return { offsetMs: seconds * 1000 + 500 - middle, uncertaintyMs: half + 500 };
}

class Answers {
  readonly #nonce: string;
  #text = '';
  #isOver = false;
  #wake = () => {};

  constructor(channel: Channel, nonce: string, signal: AbortSignal) {
    this.#nonce = nonce;
    const end = () => {
      this.#isOver = true;
      this.#wake();
    };
    channel.stdout.on('data', (chunk: Buffer) => {
      // What a banner prints is passed over; what floods is cut.
      this.#text = `${this.#text}${chunk.toString('latin1')}`.slice(-64 * 1024);
      this.#wake();
    });
    void channel.exit.then(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  }

  async next(): Promise<string | undefined> {
    const line = new RegExp(`${this.#nonce} (.*)\n`);
    for (;;) {
      const found = line.exec(this.#text);
      if (found) {
        this.#text = this.#text.slice(found.index + found[0].length);
        return found[1];
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
