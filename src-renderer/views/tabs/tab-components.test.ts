import { expect, test } from 'vitest';
import { tabs } from '../../../src-main/shared/tabs/tabs.ts';

/** Names of files, without folder and ending. */
function namesOf(found: object): string[] {
  return Object.keys(found).map((path) => path.replace(/^.*\/|\.\w+$/g, ''));
}

test('each tab is one file of facts and one component, and both folders hold nothing else', () => {
  const facts = namesOf(import.meta.glob('../../../src-main/shared/tabs/*.ts'));
  const others = ['tab-spec', 'tabs', 'tabs.test'];
  expect(facts.filter((name) => !others.includes(name))).toEqual(tabs.toSorted());
  const components = namesOf(import.meta.glob('./*.svelte'));
  expect(components.map((name) => name.toLowerCase())).toEqual(tabs.toSorted());
});
