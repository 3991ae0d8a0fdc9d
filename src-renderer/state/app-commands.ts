import { tabs } from '../../src-main/shared/tabs/tabs.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './common/command-registry.svelte.ts';
import { themeChoices } from './settings/theme.svelte.ts';

/** What can be done wherever one is: where to go, and how it looks. */
export function appCommands(app: AppState, pickFile: () => void): CommandActions {
  const { investigation } = app;
  const shownTabs = tabs.map((tab) => [`show-${tab}`, () => investigation.showTab(tab)] as const);
  const themes = themeChoices.map(
    (theme) => [`theme-${theme}`, () => app.chooseTheme(theme)] as const,
  );
  return {
    'open-file': pickFile,
    capture: () => app.capture.show(),
    'show-library': () => investigation.close(),
    'toggle-panel': () => investigation.showPanel(!investigation.panelOpen),
    ...Object.fromEntries([...shownTabs, ...themes]),
  };
}
