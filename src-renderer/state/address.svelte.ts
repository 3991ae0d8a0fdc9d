import { untrack } from 'svelte';
import type { Tab } from '../../src-main/shared/tabs/tabs.ts';
import type { AppState } from './app.svelte.ts';
import { keepLeftAddress, placeOf, replaceAddress } from './page-address.ts';
import { formatCaptureAddress } from './remote/capture-address.ts';
import { readVisit, type Visit, visitOf } from './visit.ts';

/**
 * The address names the trace and the view on the screen, so that a reload shows them again, the
 * browser's Back leads to the tab, step or finding before, then to the library, and the address can be sent as a link.
 */

/** Browsers refuse an address that changes more often than some hundred times in half a minute. */
const SETTLE_MS = 300;
/** Steps gone through faster than this, as by a key that is held, are one place in the history. */
const RUSH_MS = 600;

/** The place on the screen, without what its view depends on. */
function shownPlace({ investigation, capture }: AppState): string {
  const id = investigation.opened?.investigation.id;
  if (id !== undefined) return String(id);
  return capture.shown ? formatCaptureAddress(capture.runId) : '';
}

/** Equal as long as there is nothing new to go back from. */
function keyOf(app: AppState): string {
  const { opened, tab } = app.investigation;
  return opened === undefined
    ? shownPlace(app)
    : JSON.stringify([shownPlace(app), tab, visitOf(app.investigation)]);
}

/** Keeps the address and the screen in step; for an effect, in which it makes its own. */
export function followAddress(app: AppState): () => void {
  /** Of the screen that is, or was last, on the window. */
  let last: { readonly hash: string; readonly visit: Visit | undefined } | undefined;
  let key: string | undefined;
  let pushed: { readonly atMs: number; readonly tab: Tab } | undefined;
  /** How many ways back or forward are under way. */
  let returning = 0;

  const visitNow = () =>
    app.investigation.opened === undefined ? undefined : visitOf(app.investigation);
  async function onMove({ state }: PopStateEvent) {
    returning++;
    try {
      await app.links.open(location.hash, readVisit(state));
    } finally {
      returning--;
      key = keyOf(app);
    }
  }
  const onPop = (event: PopStateEvent) => void onMove(event);
  const onLeave = () => keepLeftAddress(app.links.here.hash);
  addEventListener('popstate', onPop);
  addEventListener('beforeunload', onLeave);
  $effect(() => {
    const shown = keyOf(app);
    const isSamePlace = shownPlace(app) === placeOf(location.hash);
    if (!app.loaded || app.opener.task !== undefined || shown === key) return;
    const isFirst = key === undefined;
    key = shown;
    const { tab } = app.investigation;
    const atMs = performance.now();
    const isRushed = pushed?.tab === tab && atMs - pushed.atMs < RUSH_MS;
    // A key that is held goes on being one place.
    if (isRushed) pushed = { atMs, tab };
    if (isSamePlace && (isFirst || returning > 0 || isRushed)) return;
    pushed = { atMs, tab };
    // What was left in a hurry: Back must find it as it was.
    if (last !== undefined && placeOf(last.hash) === placeOf(location.hash))
      replaceAddress(last.hash, last.visit);
    const { hash } = untrack(() => app.links.here);
    history.pushState(untrack(visitNow), '', `${location.pathname}${hash}`);
  });
  $effect(() => {
    const { hash } = app.links.here;
    const visit = visitNow();
    if (!app.loaded || app.opener.task !== undefined || hash === '') return undefined;
    last = { hash, visit };
    const timer = setTimeout(() => replaceAddress(hash, visit), SETTLE_MS);
    return () => clearTimeout(timer);
  });
  return () => {
    removeEventListener('popstate', onPop);
    removeEventListener('beforeunload', onLeave);
  };
}
