import type { App } from '../app/app.ts';
import type { Settings } from '../shared/library/settings.ts';
import { installMenu, type MenuActions } from './menu.ts';

/** Installs the menu, and again whenever the user's keys change. */
export function keepMenu(app: App, actions: Omit<MenuActions, 'keys'>): void {
  let shown = '';
  const install = (keys: Settings['keys']) => {
    const now = JSON.stringify(keys);
    if (now !== shown) installMenu({ ...actions, keys });
    shown = now;
  };
  install({});
  app.onEvent((name, payload) => {
    if (name === 'settings.changed') install((payload as Settings).keys);
  });
  const { signal } = new AbortController();
  const context = { signal, session: signal, progress: () => undefined };
  void app.handlers['settings.get']({}, context).then((settings) => {
    // Without a library the built-in keys are shown, as on the page.
    if (settings.ok) install(settings.value.keys);
  });
}
