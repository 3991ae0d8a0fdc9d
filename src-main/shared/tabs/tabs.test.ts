import { expect, test } from 'vitest';
import { commandIds, commandSpec } from '../commands.ts';
import { formatLink, parseLink } from '../library/link.ts';
import { savedView } from '../library/view.ts';
import { tabSpecs } from './tabs.ts';

test.each(tabSpecs)('$id has words, and a command to go there with its own key', (spec) => {
  expect(spec.label).toMatch(/^[A-Z][A-Za-z]+$/);
  expect(commandIds).toContain(`show-${spec.id}`);
  const command = commandSpec(`show-${spec.id}`);
  expect(command).toEqual({
    title: spec.title,
    keys: spec.keys,
    group: 'Go to',
    scope: 'investigation',
  });
});

test.each(tabSpecs)('$id can be saved and linked to', ({ id }) => {
  expect(savedView.parse({ tab: id })).toEqual({ tab: id });
  const { hash } = formatLink({ investigation: 1, view: { tab: id } });
  expect(parseLink(hash)).toMatchObject({ kind: 'link', link: { view: { tab: id } } });
});

test('the words and keys of each are its own', () => {
  for (const of of ['id', 'label', 'title', 'keys'] as const)
    expect(new Set(tabSpecs.map((spec) => String(spec[of]))).size, of).toBe(tabSpecs.length);
});
