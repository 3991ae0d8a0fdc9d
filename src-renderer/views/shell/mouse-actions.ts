import type { Settings } from '../../../src-main/shared/library/settings.ts';

interface MouseAction {
  readonly label: string;
  readonly does: string;
}

const wheelActions: Readonly<Record<Settings['wheel'], readonly MouseAction[]>> = {
  scroll: [
    { label: 'Wheel', does: 'Scroll the tracks' },
    { label: 'Shift+wheel', does: 'Move in time' },
    { label: 'Ctrl+wheel, pinch', does: 'Zoom at the pointer' },
  ],
  zoom: [
    { label: 'Wheel, pinch', does: 'Zoom at the pointer' },
    { label: 'Shift+wheel', does: 'Move in time' },
    { label: 'Alt+wheel', does: 'Scroll the tracks' },
    { label: 'Wheel over the names', does: 'Scroll the tracks' },
  ],
};

/** What the mouse does on the timeline; the wheel as the settings say. */
export function mouseActions(wheel: Settings['wheel']): readonly MouseAction[] {
  return [
    ...wheelActions[wheel],
    { label: 'Drag', does: 'Select a range; edges snap, except on the ruler' },
    { label: 'Alt+drag', does: 'Zoom to the range' },
    { label: 'Shift, Space or middle drag', does: 'Move in time' },
    { label: 'Right click', does: 'What can be done with the event, or the track' },
    { label: 'Double click', does: 'Fit the event' },
    { label: 'Double click on a border', does: 'Its usual place' },
    { label: 'Drag a name', does: 'Move the track within its group' },
  ];
}
