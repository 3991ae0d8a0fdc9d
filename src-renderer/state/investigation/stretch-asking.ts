import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import type { ChainQuestion, ChainState } from './chain.svelte.ts';

interface Screen {
  readonly opened: { readonly traceId: string } | undefined;
  readonly chain: ChainState;
  readonly selection: Selection;
}

/** Which stretch the panel explains: one that somebody asked for, or the selected range. */
export class StretchAsking {
  readonly #screen: Screen;
  #before: EventRef | undefined;
  /** What was asked because a range was selected, as long as nobody asks for anything else. */
  #ofRange: ChainQuestion | undefined;
  /** The range that was explained last: each is once. */
  #range: TimeWindow | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  ask(question: ChainQuestion): void {
    const { opened, chain, selection } = this.#screen;
    if (opened === undefined) return;
    this.#ofRange = undefined;
    this.#before = selection.event;
    void chain.ask(opened.traceId, question);
  }

  /** The selected range, which rests. A selected event stays: somebody has to ask for its place. */
  explainRange(
    range: TimeWindow,
    { title, thread }: Pick<ChainQuestion, 'title' | 'thread'>,
  ): void {
    const { opened, chain, selection } = this.#screen;
    const { startNs, endNs } = range;
    const { event } = selection;
    const isElsewhere = event !== undefined && !chain.isOwn(event);
    const isNone = range === this.#range || endNs <= startNs;
    if (opened === undefined || isElsewhere || isNone || isOf(chain, range)) return;
    this.#range = range;
    this.#before = undefined;
    this.#ofRange = { title, thread, startNs, endNs };
    void chain.ask(opened.traceId, this.#ofRange);
  }

  /** What somebody asked for, and the panel explains. */
  get byHand(): ChainQuestion | undefined {
    const { asked } = this.#screen.chain;
    if (asked === undefined || this.#ofRange !== undefined) return undefined;
    const { title, thread, startNs, endNs } = asked;
    return { title, thread, startNs, endNs };
  }

  /** The range is gone, and with it what was said of it. */
  endRange(): void {
    const { chain } = this.#screen;
    const range = this.#ofRange;
    this.#ofRange = undefined;
    if (range !== undefined && isOf(chain, range)) chain.close();
  }

  /** Back from it to what was selected before. */
  close(): void {
    const { chain, selection } = this.#screen;
    chain.close();
    if (chain.isOwn(selection.event)) selection.selectEvent(this.#before);
  }
}

const isOf = ({ asked }: ChainState, { startNs, endNs }: TimeWindow): boolean =>
  asked?.startNs === startNs && asked.endNs === endNs;
