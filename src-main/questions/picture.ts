import { pictureOptions } from '../shared/answers/report.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The timeline as one SVG file, drawn where the columns are. */
export const picture = defineQuestion({
  arguments: pictureOptions,
  result: returns<{ readonly svg: string }>(),
  errors: [],
  longWork: () => 'statistics',
  answer: async ({ paint }, options) => ok({ svg: paint(options) }),
});
