import { expect, test } from 'vitest';
import type { KeptSecret } from '../../../src-main/shared/remote/secret-store.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { KeptSecrets } from './kept-secrets.svelte.ts';

test('what is kept is listed, and forgotten where it can be written', async () => {
  let kept: readonly KeptSecret[] = [{ kind: 'password', account: 'ada@10.0.0.7:22' }];
  let isWritable = false;
  const fake = new FakeApi()
    .answer('remote.keptSecrets', () => ok({ keeping: { possible: true }, kept }))
    .answer('remote.forgetSecrets', () => {
      if (!isWritable) return fail('state-unwritable', 'The disk is full.');
      kept = [];
      return ok(null);
    });
  const secrets = new KeptSecrets(fake.api);
  await secrets.load();
  await secrets.forgetAll();
  expect(secrets.failure?.message).toBe('The disk is full.');
  expect(secrets.value?.kept).toHaveLength(1);
  isWritable = true;
  await secrets.forgetAll();
  expect([secrets.failure, secrets.value?.kept]).toEqual([undefined, []]);
});
