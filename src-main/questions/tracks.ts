import { z } from 'zod';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import type { PackedTracks } from '../timeline/tiles/packed-tracks.ts';
import { defineQuestion } from './question.ts';

/** The tracks of the timeline. What they hold is asked for by what is on the screen: `GET /data/‹trace›/tiles`. */
export const tracks = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<PackedTracks>(),
  errors: [],
  isKept: true,
  answer: async ({ timeline }) => {
    const { packTracks } = await import('../timeline/tiles/packed-tracks.ts');
    return ok(packTracks(timeline().tracks));
  },
});
