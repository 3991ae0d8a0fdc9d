import { SvelteMap } from 'svelte/reactivity';
import type { CommandId } from '../lib/commands.ts';

/** What a command does. `fast`: asked for with Shift, where that means "faster". */
export type CommandAction = (fast: boolean) => void;

export type CommandActions = { readonly [Id in CommandId]?: CommandAction };

/** Which commands can be done now: every screen registers its own while it is shown. */
export class CommandRegistry {
  readonly #actions = new SvelteMap<CommandId, CommandAction>();

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
    return this.#actions.has(id);
  }

  /** Does it, where it can be done now; whether it could. */
  run(id: CommandId, fast = false): boolean {
    const action = this.#actions.get(id);
    action?.(fast);
    return action !== undefined;
  }
}
