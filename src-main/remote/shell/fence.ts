import { randomBytes } from 'node:crypto';
import { HeldBytes } from './held-bytes.ts';

/** Marks that no banner holds: all that stands between them is the script's. */
export interface Fence {
  readonly begin: string;
  readonly end: string;
  /** `sh`: prints them to both outputs. In halves, so that an echoed script holds no mark. */
  readonly printBegin: string;
  /** With the exit status that is in `$status`. */
  readonly printEnd: string;
}

export function newFence(): Fence {
  const nonce = randomBytes(16).toString('hex');
  const [head, tail] = [nonce.slice(0, 16), nonce.slice(16)];
  const print = (format: string, more = '') =>
    `printf '${format}' '${head}' '${tail}'${more}; printf '${format}' '${head}' '${tail}'${more} >&2`;
  return {
    begin: `\n${nonce}<\n`,
    end: `\n${nonce}> `,
    printBegin: print('\\n%s%s<\\n'),
    printEnd: print('\\n%s%s> %s\\n', ' "$status"'),
  };
}

/** Most that is read of a banner; what a person would call one has a few KiB. */
const MOST_NOISE = 4 * 1024 * 1024;
const HEAD_KEPT = 2048;

export type FencedState = 'noise' | 'inside' | 'ended' | 'too-much';

/** Takes the output of a script out of what comes before and after. */
export class FencedOutput {
  readonly #fence: Fence;
  readonly #most: number;
  #pending: Buffer = Buffer.alloc(0);
  readonly #body = new HeldBytes();
  #lookedAt = 0;
  #noiseBytes = 0;
  #head = '';
  #state: FencedState = 'noise';
  #status: number | undefined;

  constructor(fence: Fence, mostBytes: number) {
    this.#fence = fence;
    this.#most = mostBytes;
  }

  get state(): FencedState {
    return this.#state;
  }

  /** Of the script, once it has `ended`. */
  get status(): number | undefined {
    return this.#status;
  }

  /** What came before the script's output, its begin. */
  get noise(): string {
    if (this.#state !== 'noise') return this.#head;
    return `${this.#head}${this.#pending.toString('utf8', 0, HEAD_KEPT)}`.slice(0, HEAD_KEPT);
  }

  body(): string {
    return this.#body.bytes.toString('utf8');
  }

  /** Whether the script has printed `words`, which may be in what is held back for the end mark. */
  hasSaid(words: string): boolean {
    const from = Math.max(0, this.#lookedAt - words.length);
    this.#lookedAt = this.#body.length;
    return Buffer.concat([this.#body.bytes.subarray(from), this.#pending]).includes(words);
  }

  add(chunk: Buffer): FencedState {
    if (this.#state === 'ended' || this.#state === 'too-much') return this.#state;
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (this.#state === 'noise') this.#lookForBegin();
    if (this.#state === 'inside') this.#lookForEnd();
    return this.#state;
  }

  #lookForBegin(): void {
    const at = this.#pending.indexOf(this.#fence.begin);
    const cut = at < 0 ? Math.max(0, this.#pending.length - this.#fence.begin.length) : at;
    const noise = this.#pending.subarray(0, cut);
    this.#noiseBytes += noise.length;
    if (this.#head.length < HEAD_KEPT) this.#head += noise.toString('utf8', 0, HEAD_KEPT);
    this.#pending = this.#pending.subarray(at < 0 ? cut : at + this.#fence.begin.length);
    if (at >= 0) this.#state = 'inside';
    else if (this.#noiseBytes > MOST_NOISE) this.#state = 'too-much';
  }

  #lookForEnd(): void {
    const at = this.#pending.indexOf(this.#fence.end);
    if (at >= 0) {
      const rest = this.#pending.toString('latin1', at + this.#fence.end.length);
      const status = /^(\d{1,3})\n/.exec(rest)?.[1];
      // The rest of the mark's line is still to come.
      if (status === undefined && rest.length < 8) return;
      this.#keep(this.#pending.subarray(0, at));
      this.#pending = Buffer.alloc(0);
      this.#status = Number(status ?? 255);
      if (this.#state === 'inside') this.#state = 'ended';
      return;
    }
    const safe = Math.max(0, this.#pending.length - this.#fence.end.length);
    this.#keep(this.#pending.subarray(0, safe));
    this.#pending = this.#pending.subarray(safe);
  }

  #keep(bytes: Buffer): void {
    if (this.#body.length + bytes.length > this.#most) this.#state = 'too-much';
    else this.#body.add(bytes);
  }
}
