import { type CommandId, commandIds, commandSpec } from '../../src-main/shared/commands.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './command-registry.svelte.ts';
import { tabs } from './investigation.svelte.ts';
import { themeChoices } from './theme.svelte.ts';

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

const needs: Readonly<Record<string, string>> = {
  library: 'go to the library first',
  timeline: 'go to the timeline first',
  flame: 'go to the flame graph first',
  notes: 'go to the notes first',
};

/** Does what an entry of the desktop's menu asks for, or says what has to be done before. */
export function runMenuCommand(app: AppState, name: string): void {
  const id = commandIds.find((each): each is CommandId => each === name);
  if (id === undefined || app.commands.run(id)) return;
  const { title, scope } = commandSpec(id);
  const isOpen = app.investigation.data !== undefined;
  const next =
    scope === 'capture'
      ? 'go to “Capture from a GPU host” first'
      : isOpen
        ? (needs[scope] ?? 'this trace has nothing for it')
        : 'open a trace first';
  app.toasts.show(`“${title.replace('…', '')}” can’t be done now: ${next}.`);
}
