/** Every key of the timeline, as data: the dispatcher and the help sheet read the same table. */

export type TimelineCommand =
  | 'zoom-in'
  | 'zoom-out'
  | 'pan-left'
  | 'pan-right'
  | 'previous-event'
  | 'next-event'
  | 'previous-track'
  | 'next-track'
  | 'focus-fit'
  | 'show-all'
  | 'view-back'
  | 'next-slow-call'
  | 'previous-slow-call'
  | 'next-match'
  | 'previous-match'
  | 'go-to-time'
  | 'filter'
  | 'event-to-range'
  | 'clear'
  | 'pin'
  | 'hide'
  | 'expand'
  | 'help';

interface KeyBinding {
  readonly command: TimelineCommand;
  /** `KeyboardEvent.code`: the place on the keyboard, whatever the layout prints there. */
  readonly code: string;
  /** Absent = with or without Shift. */
  readonly shift?: boolean;
  readonly label: string;
  readonly does: string;
  readonly group: 'Move' | 'Follow' | 'Mark' | 'Tracks' | 'Help';
}

export const keyBindings: readonly KeyBinding[] = [
  { command: 'zoom-in', code: 'KeyW', label: 'W', does: 'Zoom in', group: 'Move' },
  { command: 'zoom-out', code: 'KeyS', label: 'S', does: 'Zoom out', group: 'Move' },
  { command: 'pan-left', code: 'KeyA', label: 'A', does: 'Earlier (Shift: 5×)', group: 'Move' },
  { command: 'pan-right', code: 'KeyD', label: 'D', does: 'Later (Shift: 5×)', group: 'Move' },
  {
    command: 'previous-event',
    code: 'ArrowLeft',
    label: '←',
    does: 'Previous event on the track',
    group: 'Move',
  },
  {
    command: 'next-event',
    code: 'ArrowRight',
    label: '→',
    does: 'Next event on the track',
    group: 'Move',
  },
  { command: 'previous-track', code: 'ArrowUp', label: '↑', does: 'Track above', group: 'Move' },
  { command: 'next-track', code: 'ArrowDown', label: '↓', does: 'Track below', group: 'Move' },
  {
    command: 'focus-fit',
    code: 'KeyF',
    label: 'F',
    does: 'Centre the selection, again: fit it',
    group: 'Move',
  },
  { command: 'show-all', code: 'Digit0', label: '0', does: 'Whole trace', group: 'Move' },
  { command: 'view-back', code: 'Backspace', label: '⌫', does: 'Previous view', group: 'Move' },
  {
    command: 'next-slow-call',
    code: 'KeyN',
    shift: false,
    label: 'N',
    does: 'Next slow CUDA call',
    group: 'Follow',
  },
  {
    command: 'previous-slow-call',
    code: 'KeyN',
    shift: true,
    label: 'Shift+N',
    does: 'Previous slow CUDA call',
    group: 'Follow',
  },
  {
    command: 'filter',
    code: 'Slash',
    shift: false,
    label: '/',
    does: 'Filter: name: pid: dur>10ms',
    group: 'Follow',
  },
  {
    command: 'next-match',
    code: 'Enter',
    shift: false,
    label: 'Enter',
    does: 'Next matching event',
    group: 'Follow',
  },
  {
    command: 'previous-match',
    code: 'Enter',
    shift: true,
    label: 'Shift+Enter',
    does: 'Previous matching event',
    group: 'Follow',
  },
  { command: 'go-to-time', code: 'KeyG', label: 'G', does: 'Go to a time', group: 'Follow' },
  {
    command: 'event-to-range',
    code: 'KeyR',
    label: 'R',
    does: 'Selected event becomes the range',
    group: 'Mark',
  },
  {
    command: 'clear',
    code: 'Escape',
    label: 'Esc',
    does: 'Clear range, then event',
    group: 'Mark',
  },
  { command: 'pin', code: 'KeyP', label: 'P', does: 'Pin the track on top', group: 'Tracks' },
  { command: 'hide', code: 'KeyH', label: 'H', does: 'Hide the track', group: 'Tracks' },
  { command: 'expand', code: 'KeyE', label: 'E', does: 'Expand or collapse', group: 'Tracks' },
  { command: 'help', code: 'Slash', shift: true, label: '?', does: 'These keys', group: 'Help' },
];

interface KeyPress {
  readonly code: string;
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The command of a key press. `/` and `?` also by what they print: many layouts have them elsewhere. */
export function commandOf(press: KeyPress): TimelineCommand | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (press.key === '?') return 'help';
  if (press.key === '/') return 'filter';
  return keyBindings.find(
    ({ code, shift }) => code === press.code && (shift === undefined || shift === press.shiftKey),
  )?.command;
}
