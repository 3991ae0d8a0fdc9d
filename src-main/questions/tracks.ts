import { z } from 'zod';
import type { ToldTracks } from '../shared/answers/told-tracks.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The tracks of the timeline. What they hold is asked for by what is on the screen: `GET /data/‹trace›/tiles`. */
export const tracks = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<ToldTracks>(),
  errors: [],
  answer: async ({ timeline }) => ok(timeline().tracks),
});
