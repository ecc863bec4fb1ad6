/** Everything random of one history, from its seed: the same seed draws the same. */

import { seeded } from '../checkout/machine/model/virtual-proxy.js';

/** What can be drawn. */
export type Chance = ReturnType<typeof createChance>;

/** @param seed any whole number */
export function createChance(seed: number) {
  const random = seeded(Math.imul(seed, 0x9e37_79b1));
  const between = (least: number, most: number) =>
    least + Math.floor(random() * (most - least + 1));
  const hex = () => between(0, 0xffff_ffff).toString(16).padStart(8, '0');

  return {
    happens: (probability: number) => random() < probability,
    /** A whole number, both ends included. */
    between,
    pick: <T>(list: readonly [T, ...T[]]) => list[between(0, list.length - 1)] ?? list[0],
    uuid: () =>
      [hex(), hex(), hex(), hex()].join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}
