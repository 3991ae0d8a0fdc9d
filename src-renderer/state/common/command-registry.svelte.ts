import { SvelteMap } from 'svelte/reactivity';
import {
  type CommandId,
  commandIds,
  commandSpec,
  type Scope,
} from '../../../src-main/shared/commands.ts';

/** What a command does. `fast`: asked for with Shift, where that means "faster". */
export type CommandAction = (fast: boolean) => void;

export type CommandActions = { readonly [Id in CommandId]?: CommandAction };

/** Which commands can be done now: every screen registers its own while it is shown. */
export class CommandRegistry {
  readonly #actions = new SvelteMap<CommandId, CommandAction>();
  readonly #isShown: (scope: Scope) => boolean;

  /** `isShown`: whether the screen of a scope is on the window, not only somewhere behind it. */
  constructor(isShown: (scope: Scope) => boolean = () => true) {
    this.#isShown = isShown;
  }

  /** Takes the commands in `actions` until the returned function is called: for an `$effect`. */
  register(actions: CommandActions): () => void {
    const entries = Object.entries(actions) as [CommandId, CommandAction][];
    for (const [id, action] of entries) this.#actions.set(id, action);
    return () => {
      for (const [id, action] of entries) {
        // Another screen may have taken it over meanwhile.
        if (this.#actions.get(id) === action) this.#actions.delete(id);
      }
    };
  }

  isAvailable(id: CommandId): boolean {
    return this.#actions.has(id) && this.#isShown(commandSpec(id).scope);
  }

  /** All that can be done now, in the order of the table. */
  get available(): CommandId[] {
    return commandIds.filter((id) => this.isAvailable(id));
  }

  /** Does it, where it can be done now; whether it could. */
  run(id: CommandId, fast = false): boolean {
    if (!this.isAvailable(id)) return false;
    this.#actions.get(id)?.(fast);
    return true;
  }
}
