import type { CommandId } from '../../../src-main/shared/commands.ts';
import type { CommandActions } from '../common/command-registry.svelte.ts';
import type { InvestigationState } from './investigation.svelte.ts';

const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Notes, bookmarks and the view: what can be done on every tab of an investigation. */
export function markCommands({ marking, view }: InvestigationState): CommandActions {
  const recalls = SLOTS.map((slot): [CommandId, () => void] => [
    `bookmark-${slot}`,
    () => marking.recall(slot),
  ]);
  return {
    'add-note': () => void marking.addNote(),
    'add-bookmark': () => void marking.addBookmark(),
    'reset-view': () => view.startFresh(),
    ...Object.fromEntries(recalls),
  };
}
