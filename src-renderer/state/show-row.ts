import type { RowTarget } from '../lib/sql/row-target.ts';
import { showBehind, showStretch } from './follow-chain.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';

/** Shows on the timeline what a row of a result is about: its event, its stretch of time, or its moment. */
export function showRow(investigation: InvestigationState, { event, window }: RowTarget): void {
  if (event !== undefined) showBehind(investigation, event);
  else if (window !== undefined && window.endNs > window.startNs)
    showStretch(investigation, window);
  else if (window !== undefined) {
    investigation.showTab('timeline');
    investigation.selection.selectRange(window);
    investigation.timeline?.viewport.centreOn(window.startNs);
  }
}
