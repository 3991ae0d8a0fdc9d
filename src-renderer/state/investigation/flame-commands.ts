import type { CommandActions } from '../common/command-registry.svelte.ts';
import type { FlameState } from './flame.svelte.ts';

/** What keys and the palette do on the flame graph. */
export function flameCommands(flame: FlameState, focusSearch: () => void): CommandActions {
  return {
    'flame-parent': () => flame.active.step(flame.active === flame.callers ? 'child' : 'parent'),
    'flame-child': () => flame.active.step(flame.active === flame.callers ? 'parent' : 'child'),
    'flame-previous': () => flame.active.step('previous'),
    'flame-next': () => flame.active.step('next'),
    'flame-zoom': () => {
      if (flame.active.selected !== undefined) flame.active.zoomTo(flame.active.selected);
    },
    'flame-reset': () => resetStep(flame),
    'flame-sandwich': () => {
      const frame = flame.active.selectedFrame;
      if (frame !== undefined) flame.showFunction(frame);
      else flame.chooseOrder(flame.order === 'sandwich' ? 'heavy' : 'sandwich');
    },
    'flame-search': focusSearch,
    'flame-next-match': () => flame.active.nextMatch(),
  };
}

/** Step by step: the zoom, then the selection. */
function resetStep({ active }: FlameState): void {
  if (active.isZoomed) active.zoomTo(undefined);
  else active.select(undefined);
}
