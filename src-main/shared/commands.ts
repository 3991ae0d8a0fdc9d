import { type Tab, tabSpecs } from './tabs/tabs.ts';

/**
 * Everything a user can do by key, palette or menu, as data: the dispatcher, the palette, the sheet of
 * keys, the settings and the desktop's menu read this one table.
 */

/** Where a command works: everywhere, with a trace on the screen, or on one of its tabs. */
export type Scope = 'app' | 'investigation' | 'library' | 'capture' | Tab;

interface CommandSpec {
  readonly title: string;
  readonly group:
    | 'App'
    | 'Capture'
    | 'Go to'
    | 'Move'
    | 'Follow'
    | 'Mark'
    | 'Tracks'
    | 'Flame'
    | 'SQL'
    | 'Share';
  readonly scope: Scope;
  /** `KeyboardEvent.code` with modifiers, `Mod+Alt+Shift+KeyE`: the place on the keyboard, not the letter. */
  readonly keys: readonly string[];
  /** Shift makes it faster instead of another command. */
  readonly shiftIsFast?: true;
}

/** Each tab has a command that shows it. */
function tabCommands(): { readonly [Id in Tab as `show-${Id}`]: CommandSpec };
function tabCommands(): Readonly<Record<string, CommandSpec>> {
  const entries = tabSpecs.map(({ id, title, keys }): [string, CommandSpec] => [
    `show-${id}`,
    { title, group: 'Go to', scope: 'investigation', keys },
  ]);
  return Object.fromEntries(entries);
}

export const commands = {
  'open-file': { title: 'Open a trace file…', group: 'App', scope: 'app', keys: ['Mod+KeyO'] },
  capture: {
    title: 'Capture from a GPU host…',
    group: 'App',
    scope: 'app',
    keys: ['Alt+KeyC'],
  },
  'compare-runs': {
    title: 'Compare runs…',
    group: 'App',
    scope: 'app',
    keys: ['Alt+KeyR'],
  },
  palette: { title: 'Command palette', group: 'App', scope: 'app', keys: ['Mod+KeyK'] },
  settings: { title: 'Settings', group: 'App', scope: 'app', keys: ['Mod+Comma'] },
  help: { title: 'Keys', group: 'App', scope: 'app', keys: ['Shift+Slash'] },
  about: { title: 'About Stalltrace', group: 'App', scope: 'app', keys: [] },
  messages: { title: 'Messages so far', group: 'App', scope: 'app', keys: [] },
  'theme-system': { title: 'Theme: as the system', group: 'App', scope: 'app', keys: [] },
  'theme-light': { title: 'Theme: light', group: 'App', scope: 'app', keys: [] },
  'theme-dark': { title: 'Theme: dark', group: 'App', scope: 'app', keys: [] },

  'capture-forward': {
    title: 'Next step; at the last: start the capture',
    group: 'Capture',
    scope: 'capture',
    keys: ['Mod+Enter'],
  },
  'capture-back': {
    title: 'Previous step',
    group: 'Capture',
    scope: 'capture',
    keys: ['Backspace'],
  },
  'capture-again': {
    title: 'Check again: hosts, checks or processes',
    group: 'Capture',
    scope: 'capture',
    keys: ['KeyR'],
  },
  'capture-search': {
    title: 'Search the hosts or processes',
    group: 'Capture',
    scope: 'capture',
    keys: ['Slash'],
  },
  'capture-retry': {
    title: 'Connect to the host again now',
    group: 'Capture',
    scope: 'capture',
    keys: ['KeyT'],
  },
  'capture-stop': {
    title: 'Stop the capture and bring it back',
    group: 'Capture',
    scope: 'capture',
    keys: ['Shift+KeyS'],
  },
  'capture-bring-back': {
    title: 'Bring the trace back',
    group: 'Capture',
    scope: 'capture',
    keys: ['KeyB'],
  },
  'capture-abandon': {
    title: 'Abandon the capture…',
    group: 'Capture',
    scope: 'capture',
    keys: [],
  },
  'capture-leave': {
    title: 'To the library; captures go on',
    group: 'Capture',
    scope: 'capture',
    keys: [],
  },

  'show-library': { title: 'Library', group: 'Go to', scope: 'investigation', keys: [] },
  ...tabCommands(),
  'toggle-panel': {
    title: 'Why slow: show or hide',
    group: 'Go to',
    scope: 'investigation',
    keys: ['Mod+KeyB'],
  },
  'search-library': {
    title: 'Search the library',
    group: 'Go to',
    scope: 'library',
    keys: ['Slash'],
  },

  'copy-finding': {
    title: 'Copy the finding as Markdown',
    group: 'Share',
    scope: 'investigation',
    keys: ['Mod+Shift+KeyE'],
  },
  report: { title: 'Report…', group: 'Share', scope: 'investigation', keys: ['Mod+KeyE'] },
  'copy-link': {
    title: 'Copy a link to this view',
    group: 'Share',
    scope: 'investigation',
    keys: ['Mod+Shift+KeyL'],
  },
  'reset-view': {
    title: 'Start fresh: forget where I was',
    group: 'Go to',
    scope: 'investigation',
    keys: [],
  },
  'save-picture': {
    title: 'Save a picture of the timeline…',
    group: 'Share',
    scope: 'investigation',
    keys: [],
  },
  'save-benchmark': {
    title: 'Save a benchmark script…',
    group: 'Share',
    scope: 'investigation',
    keys: [],
  },
  'save-perfetto': {
    title: 'Save as a Perfetto trace…',
    group: 'Share',
    scope: 'investigation',
    keys: [],
  },
  'save-archive': {
    title: 'Save as .stalltrace…',
    group: 'Share',
    scope: 'investigation',
    keys: ['Mod+Shift+KeyS'],
  },

  'zoom-in': { title: 'Zoom in', group: 'Move', scope: 'timeline', keys: ['KeyW'] },
  'zoom-out': { title: 'Zoom out', group: 'Move', scope: 'timeline', keys: ['KeyS'] },
  'pan-left': {
    title: 'Earlier',
    group: 'Move',
    scope: 'timeline',
    keys: ['KeyA'],
    shiftIsFast: true,
  },
  'pan-right': {
    title: 'Later',
    group: 'Move',
    scope: 'timeline',
    keys: ['KeyD'],
    shiftIsFast: true,
  },
  'previous-event': {
    title: 'Previous event on the track',
    group: 'Move',
    scope: 'timeline',
    keys: ['ArrowLeft'],
  },
  'next-event': {
    title: 'Next event on the track',
    group: 'Move',
    scope: 'timeline',
    keys: ['ArrowRight'],
  },
  'previous-track': { title: 'Track above', group: 'Move', scope: 'timeline', keys: ['ArrowUp'] },
  'next-track': { title: 'Track below', group: 'Move', scope: 'timeline', keys: ['ArrowDown'] },
  'focus-fit': {
    title: 'Centre the selection (again: fit it to the window)',
    group: 'Move',
    scope: 'timeline',
    keys: ['KeyF'],
  },
  'show-all': { title: 'Whole trace', group: 'Move', scope: 'timeline', keys: ['Digit0'] },
  arrange: {
    title: 'Tracks that matter for the selection on top, others folded',
    group: 'Follow',
    scope: 'timeline',
    keys: ['KeyV'],
  },
  'view-back': { title: 'Previous view', group: 'Move', scope: 'timeline', keys: ['Backspace'] },
  'view-forward': {
    title: 'Next view',
    group: 'Move',
    scope: 'timeline',
    keys: ['Shift+Backspace'],
  },

  'next-slow-call': {
    title: 'Next slow CUDA call',
    group: 'Follow',
    scope: 'timeline',
    keys: ['KeyN'],
  },
  'previous-slow-call': {
    title: 'Previous slow CUDA call',
    group: 'Follow',
    scope: 'timeline',
    keys: ['Shift+KeyN'],
  },
  'chain-back': {
    title: 'Wait chain: previous part (longer, or earlier)',
    group: 'Follow',
    scope: 'investigation',
    keys: ['BracketLeft'],
  },
  'chain-on': {
    title: 'Wait chain: next part (shorter, or later)',
    group: 'Follow',
    scope: 'investigation',
    keys: ['BracketRight'],
  },
  'follow-submission': {
    title: 'From a CUDA call to its GPU work, and back',
    group: 'Follow',
    scope: 'investigation',
    keys: ['KeyJ'],
  },
  'next-submission': {
    title: 'Next GPU work of the same call',
    group: 'Follow',
    scope: 'investigation',
    keys: ['Shift+KeyJ'],
  },
  filter: {
    title: 'Filter: name: pid: dur>10ms',
    group: 'Follow',
    scope: 'timeline',
    keys: ['Slash'],
  },
  'next-match': {
    title: 'Next matching event',
    group: 'Follow',
    scope: 'timeline',
    keys: ['Enter'],
  },
  'previous-match': {
    title: 'Previous matching event',
    group: 'Follow',
    scope: 'timeline',
    keys: ['Shift+Enter'],
  },
  'go-to-time': { title: 'Go to a time', group: 'Follow', scope: 'timeline', keys: ['KeyG'] },

  'add-note': {
    title: 'Note on the selection',
    group: 'Mark',
    scope: 'investigation',
    keys: ['KeyM'],
  },
  'add-bookmark': {
    title: 'Bookmark the selection',
    group: 'Mark',
    scope: 'investigation',
    keys: ['KeyB'],
  },
  'bookmark-1': { title: 'Bookmark 1', group: 'Mark', scope: 'investigation', keys: ['Digit1'] },
  'bookmark-2': { title: 'Bookmark 2', group: 'Mark', scope: 'investigation', keys: ['Digit2'] },
  'bookmark-3': { title: 'Bookmark 3', group: 'Mark', scope: 'investigation', keys: ['Digit3'] },
  'bookmark-4': { title: 'Bookmark 4', group: 'Mark', scope: 'investigation', keys: ['Digit4'] },
  'bookmark-5': { title: 'Bookmark 5', group: 'Mark', scope: 'investigation', keys: ['Digit5'] },
  'bookmark-6': { title: 'Bookmark 6', group: 'Mark', scope: 'investigation', keys: ['Digit6'] },
  'bookmark-7': { title: 'Bookmark 7', group: 'Mark', scope: 'investigation', keys: ['Digit7'] },
  'bookmark-8': { title: 'Bookmark 8', group: 'Mark', scope: 'investigation', keys: ['Digit8'] },
  'bookmark-9': { title: 'Bookmark 9', group: 'Mark', scope: 'investigation', keys: ['Digit9'] },
  'search-notes': { title: 'Search the notes', group: 'Mark', scope: 'notes', keys: ['Slash'] },
  'event-to-range': {
    title: 'Selected event becomes the range',
    group: 'Mark',
    scope: 'timeline',
    keys: ['KeyR'],
  },
  clear: { title: 'Clear range, then event', group: 'Mark', scope: 'timeline', keys: ['Escape'] },

  pin: { title: 'Pin the track on top', group: 'Tracks', scope: 'timeline', keys: ['KeyP'] },
  hide: { title: 'Hide the track', group: 'Tracks', scope: 'timeline', keys: ['KeyH'] },
  expand: { title: 'Expand or collapse', group: 'Tracks', scope: 'timeline', keys: ['KeyE'] },
  'track-up': {
    title: 'Move the track up',
    group: 'Tracks',
    scope: 'timeline',
    keys: ['Alt+ArrowUp'],
  },
  'track-down': {
    title: 'Move the track down',
    group: 'Tracks',
    scope: 'timeline',
    keys: ['Alt+ArrowDown'],
  },

  'flame-parent': { title: 'To the caller', group: 'Flame', scope: 'flame', keys: ['ArrowUp'] },
  'flame-child': {
    title: 'To the heaviest callee',
    group: 'Flame',
    scope: 'flame',
    keys: ['ArrowDown'],
  },
  'flame-previous': { title: 'To the left', group: 'Flame', scope: 'flame', keys: ['ArrowLeft'] },
  'flame-next': { title: 'To the right', group: 'Flame', scope: 'flame', keys: ['ArrowRight'] },
  'flame-zoom': {
    title: 'Zoom to the frame',
    group: 'Flame',
    scope: 'flame',
    keys: ['Enter', 'KeyF'],
  },
  'flame-reset': {
    title: 'Whole graph',
    group: 'Flame',
    scope: 'flame',
    keys: ['Digit0', 'Escape'],
  },
  'flame-sandwich': {
    title: 'Callers and callees of the frame',
    group: 'Flame',
    scope: 'flame',
    keys: ['KeyC'],
  },
  'flame-search': { title: 'Search frames', group: 'Flame', scope: 'flame', keys: ['Slash'] },
  'flame-next-match': { title: 'Next match', group: 'Flame', scope: 'flame', keys: ['KeyN'] },
  'run-statement': { title: 'Run the statement', group: 'SQL', scope: 'sql', keys: ['Mod+Enter'] },
  'cancel-statement': {
    title: 'Cancel the statement that runs',
    group: 'SQL',
    scope: 'sql',
    keys: ['Escape'],
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandId = keyof typeof commands;

export const commandIds = Object.keys(commands) as CommandId[];

/** A command, seen without its exact keys: for code that walks the table. */
export function commandSpec(id: CommandId): CommandSpec {
  return commands[id];
}
