import { mount } from 'svelte';
import { ok } from '../src-main/shared/result.ts';
import App from './App.svelte';
import { createApi } from './api.ts';
import { desktopPipe, findDesktopBridge } from './desktop-pipe.ts';
import { openSocketPipe, startSession, tokenOfFragment } from './socket-pipe.ts';
import { AppState } from './state/app.svelte.ts';
import { Connection } from './state/connection.svelte.ts';
import { Theme } from './state/theme.svelte.ts';
import './theme.css';

const bridge = findDesktopBridge();
const api = createApi(bridge);

/** The token is good for one exchange: it leaves the address bar and the history before anything else. */
async function useLaunchToken(): Promise<void> {
  const token = tokenOfFragment(location.hash);
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname);
  await startSession(token);
}

const launch = bridge === undefined ? useLaunchToken() : Promise.resolve();
const connection = new Connection(
  async () => {
    await launch;
    return bridge === undefined ? openSocketPipe() : ok(desktopPipe(bridge));
  },
  (pipe) => api.attach(pipe),
);
const theme = new Theme(localStorage, matchMedia('(prefers-color-scheme: dark)'));
const target = document.getElementById('app');
if (target !== null) mount(App, { target, props: { app: new AppState(api, connection, theme) } });
void connection.connect();
