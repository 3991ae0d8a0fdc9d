import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeHost } from '../testing/fake-remote.ts';
import { HostForm } from './host-form.svelte.ts';

test('a pasted command fills the form; what can’t be read says why and leaves it', async () => {
  const fake = new FakeApi().answer('remote.parseTarget', ({ text }) =>
    text.startsWith('ssh')
      ? ok({ name: '203.0.113.7', user: 'root', port: 2222, jumps: ['me@bastion:22'] })
      : fail('bad-target', 'This is no ssh command.'),
  );
  const form = new HostForm(fake.api);
  await form.paste('ssh -p 2222 -J me@bastion root@203.0.113.7');
  expect(form.fields).toMatchObject({ user: 'root', port: '2222', jumps: 'me@bastion:22' });
  expect(form.target).toEqual({
    name: '203.0.113.7',
    user: 'root',
    port: 2222,
    jumps: ['me@bastion:22'],
  });
  await form.paste('scp x');
  expect(form.pasteProblem).toBe('This is no ssh command.');
  expect(form.fields.user).toBe('root');
});

test('an answer to what is no longer in the box is thrown away', async () => {
  const waiting: (() => void)[] = [];
  const fake = new FakeApi().answer(
    'remote.parseTarget',
    ({ text }) => new Promise((resolve) => waiting.push(() => resolve(ok({ name: text })))),
  );
  const form = new HostForm(fake.api);
  const first = form.paste('one');
  const second = form.paste('two');
  for (const answer of waiting.toReversed()) answer();
  await Promise.all([first, second]);
  expect(form.fields.name).toBe('two');
});

test.each([
  ['name', { name: '-oProxyCommand=evil' }, 'name'],
  ['name', { name: 'two words' }, 'name'],
  ['port', { name: 'x', port: '70000' }, 'port'],
  ['port', { name: 'x', port: 'abc' }, 'port'],
  ['user', { name: 'x', user: 'a b' }, 'user'],
  ['jumps', { name: 'x', jumps: '-J' }, 'jumps'],
] as const)('what is wrong with %s is said at its field: %j', (_name, fields, field) => {
  const form = new HostForm(new FakeApi().api);
  form.change(fields);
  expect(form.target).toBeUndefined();
  expect(form.problemOf(field)).toBeDefined();
});

test('a saved host is changed, one of the configuration becomes another', () => {
  const form = new HostForm(new FakeApi().api);
  expect(form.problemOf('name')).toBeUndefined();
  form.edit(fakeHost({ id: 'saved:123', from: 'saved', label: 'mine' }));
  expect(form.changing).toBe('123');
  expect(form.label).toBe('mine');
  form.edit(fakeHost());
  expect(form.changing).toBeUndefined();
});
