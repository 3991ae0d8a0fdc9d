import type { EventEmitter } from 'node:events';
import type { CDPSession } from 'playwright-core';
import { fromHttp } from './protocol.ts';
import { preventable } from './strict.ts';

export interface NavigationHooks {
  /** Whether main itself asked for `url` just now. */
  takeOwnLoad(url: string): boolean;
  openWindow(url: string): void;
}

/** Turns what Chromium reports into Electron's navigation events, and stops what a listener prevents. */
export async function watchNavigation(
  contents: EventEmitter,
  cdp: CDPSession,
  hooks: NavigationHooks,
): Promise<void> {
  await cdp.send('Page.enable');
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const mainFrameId = frameTree.frame.id;

  cdp.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined) contents.emit('did-navigate', {}, fromHttp(frame.url));
  });
  cdp.on('Page.windowOpen', ({ url }) => hooks.openWindow(fromHttp(url)));
  cdp.on('Fetch.requestPaused', ({ requestId, request, frameId, redirectedRequestId }) => {
    const isMainFrame = frameId === mainFrameId;
    const redirected = redirectedRequestId !== undefined;
    const own = isMainFrame && !redirected && hooks.takeOwnLoad(request.url);
    const event = preventable({ url: fromHttp(request.url), isMainFrame, isSameDocument: false });
    if (redirected) contents.emit('will-redirect', event);
    else if (!own) {
      contents.emit('will-frame-navigate', event);
      if (isMainFrame) contents.emit('will-navigate', event);
    }
    const answer = event.wasPrevented()
      ? cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      : cdp.send('Fetch.continueRequest', { requestId });
    // The page may be gone by now.
    answer.catch(() => undefined);
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
}
