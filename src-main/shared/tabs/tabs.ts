import { about } from './about.ts';
import { flame } from './flame.ts';
import { notes } from './notes.ts';
import { overview } from './overview.ts';
import { processes } from './processes.ts';
import { sql } from './sql.ts';
import type { TabSpec } from './tab-spec.ts';
import { timeline } from './timeline.ts';

/** The tabs of an investigation, from left to right; it opens with the first. */
export const tabSpecs = [overview, timeline, flame, processes, notes, about, sql] as const;

export type Tab = (typeof tabSpecs)[number]['id'];

export const tabs: readonly Tab[] = tabSpecs.map(({ id }) => id);

export const firstTab = tabSpecs[0].id;

export function isTab(text: string): text is Tab {
  return tabs.some((tab) => tab === text);
}

const specs = new Map<Tab, TabSpec>(tabSpecs.map((spec) => [spec.id, spec]));

export function tabSpec(tab: Tab): TabSpec {
  const spec = specs.get(tab);
  if (spec === undefined) throw new Error(`no tab ${tab}`);
  return spec;
}
