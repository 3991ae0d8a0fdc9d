import { type CommandId, commandIds, commandSpec } from '../../src-main/shared/commands.ts';
import type { CommandRegistry } from './common/command-registry.svelte.ts';
import type { Toasts } from './common/toasts.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';

interface MenuTarget {
  readonly commands: CommandRegistry;
  readonly investigation: InvestigationState;
  readonly toasts: Toasts;
}

const needs: Readonly<Record<string, string>> = {
  library: 'go to the library first',
  timeline: 'go to the timeline first',
  flame: 'go to the flame graph first',
  notes: 'go to the notes first',
};

/** Does what an entry of the desktop's menu asks for, or says what has to be done before. */
export function runMenuCommand(app: MenuTarget, name: string): void {
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
