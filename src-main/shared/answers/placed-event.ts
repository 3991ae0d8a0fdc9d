import type { EventRef } from '../model/event-ref.ts';

/** An event where the timeline shows it. */
export interface PlacedEvent {
  /** Absent where it is worked out, and of no table. */
  readonly event?: EventRef;
  readonly trackId: string;
  /** On which line of its track, where that shows all; below 0 = the ground below them. */
  readonly line: number;
  readonly startNs: number;
  readonly durationNs: number;
  /** Index into the palette. */
  readonly colour: number;
  readonly kind: number;
  readonly name: string;
  /** Index into threads; -1 = of none, or not known. */
  readonly thread: number;
}

/** An event in a list. */
export interface EventLine {
  readonly name: string;
  readonly startNs?: number;
  readonly durationNs?: number;
}

/** What the GPU did for a call, and where that is on the timeline. */
export interface PlacedSubmission {
  /** The outermost call that asked for the event, or that it is: row of cuda_call; -1 = none is known. */
  readonly call: number;
  /** How many pieces of GPU work it asked for, and which of them the event is, from 0; -1 = none. */
  readonly count: number;
  readonly at: number;
  /** That call, and the first of its works; of selected work that alone. Absent where one of both is not known. */
  readonly links?: { readonly call: PlacedEvent; readonly works: readonly PlacedEvent[] };
}

/** What is looked at: an event, and what belongs to it. */
export interface SelectedEvent {
  readonly placed: PlacedEvent | null;
  /** Index into threads of the event; -1 = of none, or not known. */
  readonly thread: number;
  /** Of its row: on its track may be a part of it. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly submission: PlacedSubmission;
}

/** Block requests that were under way in a stretch of time. */
export interface BlockRequests {
  /** Rows of block_io, the longest inside the stretch first: not all where there are many. */
  readonly rows: readonly number[];
  readonly count: number;
  readonly bytes: number;
  /** Of the requests, how many were of the thread. */
  readonly own: number;
}
