import { expect, test } from 'vitest';
import type { Diagnosis } from '../../src-main/shared/answers/diagnosis.ts';
import { showOccurrence } from './follow-chain.ts';
import { InvestigationState } from './investigation/investigation.svelte.ts';
import { mainThread } from './investigation/main-thread.ts';
import { FakeApi } from './testing/fake-api.ts';
import { fakeOpened } from './testing/fake-trace.ts';

test('an occurrence of a finding is explained for the thread of its own rank, not of the one that leads', async () => {
  const ranks = [{ rank: { mainThread: 4 } }, { rank: { mainThread: 7 } }];
  const diagnosis = { ranks, lead: 0 } as unknown as Diagnosis;
  const fake = new FakeApi();
  const investigation = new InvestigationState(fake.api);
  await investigation.show(fakeOpened());
  const asked = () =>
    fake.asked.flatMap(({ name, args }) => (name === 'trace.chain' ? [args] : []));
  const window = { startNs: 10, endNs: 20 };
  showOccurrence(investigation, { window, thread: mainThread(diagnosis, 1), finding: 'x' });
  expect(investigation.chain.asked?.finding).toBe('x');
  expect(asked()).toMatchObject([{ thread: 7, startNs: 10, endNs: 20 }]);
  expect(investigation.selection.range).toEqual(window);
  // Of a thread that is not known nothing is asked.
  showOccurrence(investigation, { window, thread: mainThread(diagnosis, 2), finding: 'x' });
  expect(asked()).toHaveLength(1);
  expect(mainThread(diagnosis)).toBe(4);
});
