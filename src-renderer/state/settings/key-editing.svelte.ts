import { type CommandId, commandIds, commandSpec } from '../../../src-main/shared/commands.ts';
import type { KeyPress } from './chord.ts';
import { chordChanges, conflictsOf } from './key-bindings.ts';
import type { Keys } from './keys.svelte.ts';
import { reservedFor } from './reserved-chords.ts';
import type { SettingsState } from './settings.svelte.ts';

/** New keys for a command that others have: they are taken from them only if the user says so. */
interface KeyChange {
  readonly id: CommandId;
  readonly chords: readonly string[];
  readonly conflicts: readonly CommandId[];
}

/** Changes the keys of commands, one at a time. */
export class KeyEditing {
  readonly #settings: SettingsState;
  readonly #keys: Keys;
  readonly #isDesktop: () => boolean;
  #listening = $state<CommandId | undefined>();
  #asking = $state.raw<KeyChange | undefined>();
  #refusal = $state('');

  constructor(settings: SettingsState, keys: Keys, isDesktop: () => boolean) {
    this.#settings = settings;
    this.#keys = keys;
    this.#isDesktop = isDesktop;
  }

  /** The command whose new keys are waited for. */
  get listening(): CommandId | undefined {
    return this.#listening;
  }

  /** What has to be confirmed. */
  get asking(): KeyChange | undefined {
    return this.#asking;
  }

  /** Why the keys pressed last can't be had. */
  get refusal(): string {
    return this.#refusal;
  }

  isOwn(id: CommandId): boolean {
    return this.#settings.value.keys[id] !== undefined;
  }

  get hasOwn(): boolean {
    return commandIds.some((id) => this.isOwn(id));
  }

  listen(id: CommandId): void {
    this.cancel();
    this.#listening = id;
  }

  cancel(): void {
    this.#listening = undefined;
    this.#asking = undefined;
    this.#refusal = '';
  }

  /** Nobody presses them any more; what is asked stays asked. */
  stopListening(): void {
    if (this.#listening !== undefined) this.cancel();
  }

  /** Takes the keys that were pressed; whether they were meant for it. */
  press(press: KeyPress): boolean {
    const id = this.#listening;
    if (id === undefined) return false;
    const chord = this.#keys.chordOf(press);
    if (press.code === 'Escape') this.cancel();
    else if (chord === undefined) return false;
    else this.#take(id, chord);
    return true;
  }

  confirm(): void {
    const change = this.#asking;
    this.cancel();
    if (change === undefined) return;
    const keys = chordChanges(change.id, change.chords, this.#settings.value.keys);
    void this.#settings.change({ keys });
  }

  /** Without any key: the palette still has it. */
  remove(id: CommandId): void {
    this.#propose(id, []);
  }

  reset(id: CommandId): void {
    this.#propose(id, commandSpec(id).keys);
  }

  resetAll(): void {
    this.cancel();
    const all = [...commandIds, ...Object.keys(this.#settings.value.keys)];
    void this.#settings.change({ keys: Object.fromEntries(all.map((id) => [id, null])) });
  }

  #take(id: CommandId, chord: string): void {
    const reserved = reservedFor(chord, this.#isDesktop());
    if (reserved === undefined) this.#propose(id, [chord]);
    else this.#refusal = `${this.#keys.labelOfChord(chord)} ${reserved}: press another.`;
  }

  #propose(id: CommandId, chords: readonly string[]): void {
    this.cancel();
    const own = this.#settings.value.keys;
    const conflicts = [...new Set(chords.flatMap((chord) => conflictsOf(id, chord, own)))];
    this.#asking = { id, chords, conflicts };
    if (conflicts.length === 0) this.confirm();
  }
}
