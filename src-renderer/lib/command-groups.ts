import { type CommandId, commandIds, commandSpec } from '../../src-main/shared/commands.ts';

export interface CommandGroup {
  readonly name: string;
  readonly ids: readonly CommandId[];
}

/** All commands of the table by group, both in its order. */
export const commandGroups: readonly CommandGroup[] = [
  ...new Set(commandIds.map((id) => commandSpec(id).group)),
].map((name) => ({ name, ids: commandIds.filter((id) => commandSpec(id).group === name) }));
