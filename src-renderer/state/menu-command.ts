import {
  type CommandId,
  commandIds,
  commandSpec,
  type Scope,
} from '../../src-main/shared/commands.ts';
import { isTab, tabSpec } from '../../src-main/shared/tabs/tabs.ts';
import type { CommandRegistry } from './common/command-registry.svelte.ts';
import type { Toasts } from './common/toasts.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';

interface MenuTarget {
  readonly commands: CommandRegistry;
  readonly investigation: InvestigationState;
  readonly toasts: Toasts;
}

/** Does what an entry of the desktop's menu asks for, or says what has to be done before. */
export function runMenuCommand(app: MenuTarget, name: string): void {
  const id = commandIds.find((each): each is CommandId => each === name);
  if (id === undefined || app.commands.run(id)) return;
  const { title, scope } = commandSpec(id);
  const isOpen = app.investigation.data !== undefined;
  const next = isOpen || scope === 'capture' ? nextOf(scope) : 'open a trace first';
  app.toasts.show(`“${title.replace('…', '')}” can’t be done now: ${next}.`);
}

/** What has to be done before a command of `scope` can be. */
function nextOf(scope: Scope): string {
  if (scope === 'capture') return 'go to “Capture from a GPU host” first';
  if (scope === 'library') return 'go to the library first';
  if (isTab(scope)) return `go to the ${tabSpec(scope).title.toLowerCase()} first`;
  return 'this trace has no data for it';
}
