import { z } from 'zod';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import type { PackedKinds } from '../timeline/tiles/packed-tracks.ts';
import { inSteps } from './in-steps.ts';
import { defineQuestion } from './question.ts';

/** The kinds of events of every track: by these a filter tells which tracks have some that it picks. */
export const kinds = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<PackedKinds>(),
  errors: [],
  answer: async ({ timeline }, _, signal) => {
    const { packKinds } = await import('../timeline/tiles/packed-tracks.ts');
    return ok(packKinds(await inSteps(timeline().kinds(), signal)));
  },
});
