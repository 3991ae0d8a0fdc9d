import '@fontsource-variable/inter';
import { mount } from 'svelte';
import { ok } from '../src-main/shared/rpc/result.ts';
import App from './App.svelte';
import { createApi, type HostAccess } from './api.ts';
import { desktopPipe, findDesktopBridge } from './desktop-pipe.ts';
import { originStorage, tabStorage } from './lib/page-storage.ts';
import { PageSession, tokenOfFragment } from './page-session.ts';
import { removeServiceWorkers } from './service-workers.ts';
import { openSocketPipe } from './socket-pipe.ts';
import { AppState } from './state/app.svelte.ts';
import { Connection } from './state/common/connection.svelte.ts';
import { Theme } from './state/settings/theme.svelte.ts';
import { openTabChannel, TabSecrets } from './tab-secrets.ts';
import './theme.css';

/** The token is good for one exchange: it leaves the address bar and the history before anything else. */
function takeToken(): string | undefined {
  const token = tokenOfFragment(location.hash);
  if (token !== undefined) history.replaceState(null, '', location.pathname);
  return token;
}

function openSession(): PageSession {
  const tabs = new TabSecrets(openTabChannel());
  return new PageSession({ token: takeToken(), storage: tabStorage(), tabs });
}

/** A link that is pasted over the address of this page changes its fragment only. */
function followPastedLink(session: PageSession, connection: Connection): void {
  addEventListener('popstate', () => {
    const token = takeToken();
    if (token === undefined || connection.status === 'connected') return;
    session.take(token);
    void connection.connect();
  });
}

function start(access: HostAccess): void {
  const api = createApi(access);
  const connection = new Connection(
    async () =>
      access.kind === 'desktop' ? ok(desktopPipe(access.bridge)) : openSocketPipe(access.session),
    (pipe) => api.attach(pipe),
  );
  // Before the screens follow the address too.
  if (access.kind === 'browser') followPastedLink(access.session, connection);
  const theme = new Theme(originStorage(), matchMedia('(prefers-color-scheme: dark)'));
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target, props: { app: new AppState(api, connection, theme) } });
  void connection.connect();
}

const bridge = findDesktopBridge();
if (bridge !== undefined) start({ kind: 'desktop', bridge });
else if (await removeServiceWorkers(() => navigator.serviceWorker)) location.reload();
else start({ kind: 'browser', session: openSession() });
