import { expect, test } from 'vitest';
import { commandIds } from '../../src-main/shared/commands.ts';
import type { AppState } from './app.svelte.ts';
import { appCommands } from './app-commands.ts';
import { chainCommands } from './follow-chain.ts';
import { submissionCommands } from './follow-submission.ts';
import type { FlameState } from './investigation/flame.svelte.ts';
import { flameCommands } from './investigation/flame-commands.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import { markCommands } from './investigation/mark-commands.ts';
import { captureCommands } from './remote/capture-commands.ts';
import type { CaptureFlow } from './remote/capture-flow.svelte.ts';
import { timelineCommands } from './timeline/commands.ts';
import type { TimelineState } from './timeline/timeline.svelte.ts';

const nothing = () => undefined;

const components = import.meta.glob<string>('../views/**/*.svelte', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Commands that a component registers by name. */
function namedInComponents(): string[] {
  return Object.values(components)
    .filter((source) => source.includes('commands.register('))
    .flatMap((source) => [...source.matchAll(/^\s*(?:'([a-z-]+)'|([a-z]+)):|\{ '([a-z-]+)':/gm)])
    .flatMap(([, ...names]) => names.filter((name) => name !== undefined));
}

test('every command of the table has an action somewhere', () => {
  const registered = new Set([
    ...Object.keys(appCommands({} as AppState, nothing)),
    ...Object.keys(chainCommands({} as AppState)),
    ...Object.keys(submissionCommands({} as AppState)),
    ...Object.keys(markCommands({} as InvestigationState)),
    ...Object.keys(flameCommands({} as FlameState, nothing)),
    ...Object.keys(
      captureCommands({} as CaptureFlow, { focusSearch: nothing, askAbandon: nothing }),
    ),
    ...Object.keys(
      timelineCommands({} as TimelineState, { focusFilter: nothing, openGoTo: nothing }),
    ),
    ...namedInComponents(),
  ]);
  expect(commandIds.filter((id) => !registered.has(id))).toEqual([]);
});
