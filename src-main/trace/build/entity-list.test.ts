import { expect, test } from 'vitest';
import { EntityList } from './entity-list.ts';

test('things are found by the id they were added with', () => {
  const list = new EntityList<string>();
  expect([list.add('a', 7), list.add('b'), list.add('c', 7)]).toEqual([0, 1, 2]);
  expect(list.values).toEqual(['a', 'b', 'c']);
  expect([list.positionOf(7), list.positionOf(8), list.positionOf(-1)]).toEqual([2, -1, -1]);
});

test('a number is told apart by its owner, and made once', () => {
  const list = new EntityList<string>();
  const make = (number: number) => `stream ${number}`;
  const address = 2 ** 47 + 8;
  const positions = [
    list.ofOwner(1, 7, make),
    list.ofOwner(2, 7, make),
    list.ofOwner(1, address, make),
    list.ofOwner(1, 7, make),
  ];
  expect(positions).toEqual([0, 1, 2, 0]);
  expect(list.values).toEqual(['stream 7', 'stream 7', `stream ${address}`]);
});
