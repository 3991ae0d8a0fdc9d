import { expect, test } from 'vitest';
import type { Row } from '../../../src-main/timeline/view/layout-tracks.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { InvestigationState } from '../../state/investigation/investigation.svelte.ts';
import { FakeApi } from '../../state/testing/fake-api.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';
import { timelineMenu } from './timeline-menu.ts';

function setUp() {
  const investigation = new InvestigationState(new FakeApi().api);
  const app = { investigation, keys: { labelOf: () => '' } } as unknown as AppState;
  const timeline = {
    tracks: { isPinned: () => false },
    select: () => undefined,
  } as unknown as TimelineState;
  const items = (row: object, hit?: EventHit) =>
    timelineMenu(app, timeline, { row: row as Row, hit });
  return { investigation, items };
}

const track = { kind: 'states', expandable: false };
const row = { kind: 'track', id: 'off_cpu:1', track, expanded: false, folds: 0, isUnfolded: false };

test('what is folded under a row can be shown and folded again, as by its arrow', () => {
  const { items } = setUp();
  const last = (of: object) => items(of).at(-1);
  expect(last(row)).toMatchObject({ label: 'Expand', disabled: true });
  expect(last({ ...row, folds: 2 })).toMatchObject({ label: 'Expand', disabled: false });
  const unfolded = { ...row, folds: 2, isUnfolded: true };
  expect(last(unfolded)).toMatchObject({ label: 'Collapse', disabled: false });
  const group = { kind: 'group', id: 'group:1', collapsed: true };
  expect(last(group)).toMatchObject({ label: 'Expand', disabled: false });
});

test('Explain leads to the panel, which still hides by itself when it has nothing to say', () => {
  const { investigation, items } = setUp();
  investigation.showTab('timeline');
  investigation.showPanel(false);
  const hit = { track, lane: { rows: [0] }, index: 0 } as unknown as EventHit;
  items(row, hit)
    .find(({ label }) => label === 'Explain')
    ?.run();
  expect(investigation.panelOpen).toBe(true);
  investigation.showTab('sql');
  expect(investigation.panelOpen).toBe(false);
});
