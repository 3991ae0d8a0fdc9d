import { commandSpec } from '../../../src-main/shared/commands.ts';
import type { CommandRegistry } from '../common/command-registry.svelte.ts';
import { parseChord } from './chord.ts';
import type { Keys } from './keys.svelte.ts';

/** Where a key was pressed, as far as that decides whose key it is. */
export interface KeyPlace {
  /** Where keys are text, or a control's own. */
  readonly isField: boolean;
  /** A button or a link, which Enter and Space press. */
  readonly isControl: boolean;
  /** On the screen itself, not in the bars and panels around it. */
  readonly isScreen: boolean;
}

const FIELD =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, dialog, [popover], hr, [contenteditable], [data-typing]';
const CONTROL = 'button, summary, a[href], input';
const SCREEN = '[role=tabpanel]';

/** Keys that controls and scrolling use everywhere. */
const CONTROL_KEYS = /^(Enter|Space|Arrow)/;
/** What a text field does with Ctrl or Cmd. */
const EDITING = /^(Key[ACVXYZ]|Arrow|Backspace|Delete|Home|End|Enter)/;
/** Holding a key goes on and on only where that moves. */
const REPEATS: ReadonlySet<string> = new Set(['Move', 'Follow', 'Flame']);

export function placeOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof HTMLElement) || target === document.body)
    return { isField: false, isControl: false, isScreen: true };
  const isIn = (selector: string) => target.closest(selector) !== null;
  const isScreen = target.id === 'content' || isIn(SCREEN);
  return { isField: isIn(FIELD), isControl: isIn(CONTROL), isScreen };
}

/** Whether a chord pressed at a place may be a command's. */
export function isFree(chord: string, { isField, isControl, isScreen }: KeyPlace): boolean {
  const { code, mod } = parseChord(chord);
  if (isField) return mod && !EDITING.test(code);
  if (!CONTROL_KEYS.test(code) || mod) return true;
  return isScreen && !(isControl && !code.startsWith('Arrow'));
}

/** Whether something in front of the screens has all keys, or Escape at least. */
export function isBehind(event: KeyboardEvent): boolean {
  const inFront = event.code === 'Escape' ? ':modal, :popover-open' : ':modal';
  return document.querySelector(inFront) !== null;
}

/** Runs the command a key press asks for; whether there was one that can be done now. */
export function dispatchKey(event: KeyboardEvent, keys: Keys, commands: CommandRegistry): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  const chord = keys.chordOf(event);
  if (chord === undefined || !isFree(chord, placeOf(event.target))) return false;
  const bound = keys.find(chord).find(({ id }) => commands.isAvailable(id));
  if (bound === undefined) return false;
  const behind = isBehind(event);
  // Ctrl+O would leave the page, also while a dialog is open.
  if (!behind || parseChord(chord).mod) event.preventDefault();
  if (behind) return false;
  if (!event.repeat || REPEATS.has(commandSpec(bound.id).group)) commands.run(bound.id, bound.fast);
  return true;
}
