import { app, type Event, type WebContents } from 'electron';
import { isAppPage } from './app-scheme.ts';
import { openExternalLink } from './external-links.ts';
import type { Log } from './log.ts';

/** Keeps every webContents, also one nobody meant to create, on the app's own page. */
export function restrictNavigation(log: Log): void {
  app.on('web-contents-created', (_event, contents) => restrict(contents, log));
}

function restrict(contents: WebContents, log: Log): void {
  const stay = (event: Event & { readonly url: string }) => {
    if (isAppPage(event.url)) return;
    event.preventDefault();
    log.write(`navigation refused: ${event.url}`);
  };
  contents.on('will-navigate', stay);
  contents.on('will-frame-navigate', stay);
  contents.on('will-redirect', stay);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    void openExternalLink(url).then(
      (opened) => {
        if (!opened) log.write(`window refused: ${url}`);
      },
      (error: unknown) => log.write(`the browser did not open: ${String(error)}`),
    );
    return { action: 'deny' };
  });
}
