import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { TRACE_ID } from '../testing/fake-trace.ts';
import { PictureState } from './picture.svelte.ts';

const subject = { traceId: TRACE_ID, investigation: 1, view: { tab: 'timeline' } } as const;
const wish = { widthPx: 1600, theme: 'light', hidePrivate: true } as const;

test('of several pictures asked for in a row the last one counts, whichever comes last', async () => {
  const answers: (() => void)[] = [];
  const fake = new FakeApi().answer(
    'report.picture',
    ({ widthPx }) =>
      new Promise((resolve) => {
        answers.push(() => resolve(ok({ svg: `<svg width="${widthPx}"/>` })));
      }),
  );
  const picture = new PictureState(fake.api);
  const first = picture.draw(subject, wish);
  const second = picture.draw(subject, { ...wish, widthPx: 3200 });
  answers[1]?.();
  await second;
  expect(picture.isDrawing).toBe(false);
  answers[0]?.();
  await first;
  expect(picture.svg).toBe('<svg width="3200"/>');
});

test('a picture that fails says why, and none is left to be saved by mistake', async () => {
  const fake = new FakeApi().answer('report.picture', () => ok({ svg: '<svg/>' }));
  const picture = new PictureState(fake.api);
  await picture.draw(subject, wish);
  fake.answer('report.picture', () => fail('process-lost', 'Open it again.'));
  await picture.draw(subject, wish);
  expect(picture.failure?.message).toBe('Open it again.');
  expect(picture.svg).toBeUndefined();
  picture.clear();
  expect(picture.failure).toBeUndefined();
});
