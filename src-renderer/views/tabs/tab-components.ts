import type { Component } from 'svelte';
import type { Tab } from '../../../src-main/shared/tabs/tabs.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import About from './About.svelte';
import Flame from './Flame.svelte';
import Notes from './Notes.svelte';
import Overview from './Overview.svelte';
import Processes from './Processes.svelte';
import Sql from './Sql.svelte';
import Timeline from './Timeline.svelte';

/** What each tab shows of a trace; the rest of a tab is in src-main/shared/tabs/. */
export const tabComponents: Readonly<Record<Tab, Component<{ data: TraceView }>>> = {
  overview: Overview,
  timeline: Timeline as Component<object>,
  flame: Flame,
  processes: Processes,
  notes: Notes as Component<object>,
  about: About,
  sql: Sql,
};
