import type { Api } from '../../../src-main/contract/api.ts';
import type { StretchExplanation } from '../../../src-main/shared/answers/stretch.ts';
import type { ChainSegment, WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import type { Settings } from '../../../src-main/shared/library/settings.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import { clamp } from '../../lib/clamp.ts';

/** A stretch of one thread of which the chain is asked, and how it is called. */
export interface ChainQuestion {
  /** `Range of 12.4 ms`. */
  readonly title: string;
  /** Index into threads. */
  readonly thread: number;
  readonly startNs: number;
  readonly endNs: number;
  /** The id of the finding of which it is an occurrence, where it was chosen as one. */
  readonly finding?: string;
}

/** The question alone, of what may say more. */
export function questionOf({
  title,
  thread,
  startNs,
  endNs,
  finding,
}: ChainQuestion): ChainQuestion {
  return { title, thread, startNs, endNs, ...(finding !== undefined && { finding }) };
}

type ChainOrder = Settings['chainOrder'];

interface AskedChain extends ChainQuestion {
  readonly value?: StretchExplanation;
  readonly failure?: Failure;
}

/**
 * The wait chain on the screen: of the call that is explained, or of a stretch that was asked for.
 * Keeps where somebody who follows it is, and which events were shown from the panel: they must not
 * take its place.
 */
export class ChainState {
  readonly #api: Api;
  readonly #ofCall: () => WaitChain | undefined;
  #asked = $state.raw<AskedChain | undefined>();
  /** The process that was asked: a trace that is opened again has another. */
  #traceId: string | undefined;
  #place = $state.raw<{ readonly chain: WaitChain; readonly index: number } | undefined>();
  #controller: AbortController | undefined;
  readonly #shown = new WeakSet<object>();

  constructor(api: Api, ofCall: () => WaitChain | undefined) {
    this.#api = api;
    this.#ofCall = ofCall;
  }

  get asked(): AskedChain | undefined {
    return this.#asked;
  }

  get value(): WaitChain | undefined {
    return this.#asked === undefined ? this.#ofCall() : this.#asked.value;
  }

  /** The segment somebody is at; -1 = they have not begun to follow it. */
  get index(): number {
    return this.#place !== undefined && this.#place.chain === this.value ? this.#place.index : -1;
  }

  /** Asks for the chain of a stretch; an older question still under way is cancelled. */
  async ask(traceId: string, question: ChainQuestion): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#asked = question;
    this.#traceId = traceId;
    const { thread, startNs, endNs } = question;
    const args = { traceId, thread, startNs, endNs };
    const { signal } = controller;
    const result = await this.#api.call('trace.chain', args, { signal });
    if (signal.aborted) return;
    this.#asked = result.ok
      ? { ...question, value: result.value }
      : { ...question, failure: result.error };
  }

  /** Asks what has no answer once more, where the trace was opened again since. */
  renew(traceId: string): void {
    if (this.#asked === undefined || this.#asked.value !== undefined) return;
    if (traceId !== this.#traceId) void this.ask(traceId, questionOf(this.#asked));
  }

  /** Back to the chain of the explained call. */
  close(): void {
    this.#controller?.abort();
    this.#asked = undefined;
  }

  /**
   * Goes one segment on; the segment, or nothing where there is none. In order of time towards the cause (-1) or the
   * effect (1); by length from the longest on (1), and back (-1).
   */
  step(by: -1 | 1, order: ChainOrder): ChainSegment | undefined {
    if (order === 'length') return this.#stepByLength(by);
    const last = (this.value?.segments.length ?? 0) - 1;
    const first = by === -1 ? last : 0;
    return this.goTo(this.index < 0 ? first : clamp(this.index + by, 0, last));
  }

  #stepByLength(by: -1 | 1): ChainSegment | undefined {
    const { longestFirst } = this;
    const at = longestFirst.indexOf(this.index);
    const next = at < 0 ? 0 : clamp(at + by, 0, longestFirst.length - 1);
    return this.goTo(longestFirst[next] ?? -1);
  }

  /** Indices of the segments, the longest first; of equal ones the earlier. */
  readonly longestFirst: readonly number[] = $derived.by(() => {
    const segments = this.value?.segments ?? [];
    const ns = segments.map(({ startNs, endNs }) => endNs - startNs);
    return [...ns.keys()].sort((a, b) => (ns[b] ?? 0) - (ns[a] ?? 0) || a - b);
  });

  goTo(index: number): ChainSegment | undefined {
    const chain = this.value;
    const segment = chain?.segments[index];
    if (chain !== undefined && segment !== undefined) this.#place = { chain, index };
    return segment;
  }

  /** `event` as one that is shown from the panel, which stays as it is meanwhile. */
  own<Event extends EventRef | EventHit>(event: Event): Event {
    const own = { ...event };
    this.#shown.add(own);
    return own;
  }

  isOwn(event: EventRef | EventHit | undefined): boolean {
    return event !== undefined && this.#shown.has(event);
  }
}
