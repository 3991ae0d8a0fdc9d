import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import { type ChainQuestion, type ChainState, questionOf } from './chain.svelte.ts';

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
  /** The range that was explained last, or passed over: each is once. */
  #range = $state.raw<TimeWindow | undefined>();
  /** What was said of the range made room for an event that was selected. */
  #hasGivenWay = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  ask(question: ChainQuestion): void {
    const { opened, chain, selection } = this.#screen;
    if (opened === undefined) return;
    this.#passOver();
    this.#before = selection.event;
    void chain.ask(opened.traceId, question);
  }

  /** Whether a range is still to be explained. A selected event stays: somebody has to ask for its place. */
  isDue(range: TimeWindow): boolean {
    const { opened, chain, selection } = this.#screen;
    const { event } = selection;
    const isElsewhere = event !== undefined && !chain.isOwn(event);
    const isNone = range === this.#range || range.endNs <= range.startNs;
    return opened !== undefined && !isElsewhere && !isNone && !isOf(chain, range);
  }

  /** The selected range, which rests. */
  explainRange(
    range: TimeWindow,
    { title, thread }: Pick<ChainQuestion, 'title' | 'thread'>,
  ): void {
    const { opened, chain } = this.#screen;
    if (opened === undefined || !this.isDue(range)) return;
    const { startNs, endNs } = range;
    this.#range = range;
    this.#before = undefined;
    this.#hasGivenWay = false;
    this.#ofRange = { title, thread, startNs, endNs };
    void chain.ask(opened.traceId, this.#ofRange);
  }

  /** What somebody asked for, and the panel explains. */
  get byHand(): ChainQuestion | undefined {
    const { asked } = this.#screen.chain;
    if (asked === undefined || this.#ofRange !== undefined) return undefined;
    return questionOf(asked);
  }

  /** The range is gone, and with it what was said of it. */
  endRange(): void {
    const { chain } = this.#screen;
    const range = this.#ofRange;
    this.#ofRange = undefined;
    this.#hasGivenWay = false;
    if (range !== undefined && isOf(chain, range)) chain.close();
  }

  /** An event was selected: it takes the place of the stretch. */
  giveWay(): void {
    const { chain, selection } = this.#screen;
    const { range } = selection;
    if (range !== undefined && isOf(chain, range)) this.#hasGivenWay = true;
    this.#ofRange = undefined;
    chain.close();
  }

  /** No event is selected any more: a range that still is has its place again. */
  comeBack(): void {
    const { chain, selection } = this.#screen;
    if (selection.range === undefined) chain.close();
    if (this.#hasGivenWay) this.#range = undefined;
    this.#hasGivenWay = false;
  }

  /** Asks again what the process of a trace that was opened again has not answered. */
  renew(): void {
    const { opened, chain } = this.#screen;
    if (opened !== undefined) chain.renew(opened.traceId);
  }

  /** Something else is looked at: the range that is selected meanwhile is not explained again. */
  leave(): void {
    this.#passOver();
    this.#screen.chain.close();
  }

  /** Back from it to what was selected before. */
  close(): void {
    const { chain, selection } = this.#screen;
    this.leave();
    if (chain.isOwn(selection.event)) selection.selectEvent(this.#before);
  }

  #passOver(): void {
    this.#ofRange = undefined;
    this.#hasGivenWay = false;
    this.#range = this.#screen.selection.range;
  }
}

const isOf = ({ asked }: ChainState, { startNs, endNs }: TimeWindow): boolean =>
  asked?.startNs === startNs && asked.endNs === endNs;
