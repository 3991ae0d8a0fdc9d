import { type CommandId, commands } from '../../../src-main/shared/commands.ts';
import { chordOf, type KeyPress } from './chord.ts';
import { chordLabel, type KeyboardLayout } from './chord-label.ts';
import { type BoundCommand, boundCommands, chordsOf } from './key-bindings.ts';
import type { SettingsState } from './settings.svelte.ts';

/** What this browser says of its keyboard; `keyboard` is Chromium's alone. */
export interface KeyboardSource {
  readonly platform?: string;
  readonly keyboard?: { getLayoutMap(): Promise<KeyboardLayout> };
}

/** The keys of every command as they are now: the built-in ones and the user's. */
export class Keys {
  readonly #settings: SettingsState;
  readonly isMac: boolean;
  #layout = $state.raw<KeyboardLayout | undefined>();

  constructor(settings: SettingsState, source: KeyboardSource = navigator as KeyboardSource) {
    this.#settings = settings;
    this.isMac = /mac|iphone|ipad/i.test(source.platform ?? '');
    // Without it keys are named as an American keyboard prints them.
    void source.keyboard?.getLayoutMap().then(
      (layout) => {
        this.#layout = layout;
      },
      () => undefined,
    );
  }

  chordsOf(id: CommandId): readonly string[] {
    return chordsOf(id, this.#settings.value.keys);
  }

  labelOfChord(chord: string): string {
    return chordLabel(chord, this.isMac, this.#layout);
  }

  /** The first key of a command for people; empty where it has none. */
  labelOf(id: CommandId): string {
    const [first] = this.chordsOf(id);
    return first === undefined ? '' : this.labelOfChord(first);
  }

  /** The title of a button that does what a command does: `Zoom in (W)`. */
  hint(id: CommandId, title: string = commands[id].title): string {
    const label = this.labelOf(id);
    return label === '' ? title : `${title} (${label})`;
  }

  chordOf(press: KeyPress): string | undefined {
    return chordOf(press, this.isMac);
  }

  /** What a chord may ask for, the likeliest first. */
  find(chord: string): BoundCommand[] {
    return boundCommands(chord, this.#settings.value.keys);
  }
}
