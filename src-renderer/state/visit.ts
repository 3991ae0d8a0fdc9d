import { tick } from 'svelte';
import type { SavedView } from '../../src-main/shared/library/view.ts';
import { firstTab } from '../../src-main/shared/tabs/tabs.ts';
import type { ChainQuestion } from './investigation/chain.svelte.ts';
import type { FocusStretch } from './investigation/focus-stretch.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';

/** What its address does not say of a screen of an investigation: kept with its place in the browser's history. */
export interface Visit {
  /** Told apart from what other versions kept. */
  readonly visit: 1;
  /** The stretch that was picked for the picture of the Overview. */
  readonly picked?: FocusStretch;
  /** The stretch that the panel explains. */
  readonly asked?: ChainQuestion;
  /** The occurrence of a finding. */
  readonly walk?: { readonly what: string; readonly index: number };
}

/** What is on the screen. */
export function visitOf({ focus, asking, walk }: InvestigationState): Visit {
  const { picked } = focus;
  const { byHand } = asking;
  const { walked, index } = walk;
  return {
    visit: 1,
    ...(picked !== undefined && { picked: { ...picked } }),
    ...(byHand !== undefined && { asked: byHand }),
    ...(walked !== undefined && { walk: { what: walked.what, index } }),
  };
}

/** What a place of the history kept; nothing for one that somebody else made, such as an address that was typed. */
export function readVisit(state: unknown): Visit | undefined {
  const isOwn = typeof state === 'object' && state !== null && 'visit' in state;
  return isOwn && state.visit === 1 ? (state as Visit) : undefined;
}

/** Shows a screen of the open investigation as it was, tracks where its address does not name them as they are. */
export async function bringBack(
  investigation: InvestigationState,
  { picked, asked, walk }: Visit,
  view: SavedView = { tab: firstTab },
): Promise<void> {
  const { chain, focus, walk: walking } = investigation;
  chain.close();
  investigation.view.recall(view);
  focus.show(picked);
  // Of another finding only the name is kept, not its occurrences: they are not listed again.
  if (walk !== undefined && walking.walked?.what === walk.what) walking.goTo(walk.index);
  else walking.close();
  // What follows the selection has done so: it would close what is asked for now.
  await tick();
  if (asked !== undefined && view.event === undefined) investigation.askChain(asked);
}
