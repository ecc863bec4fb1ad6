/** What the gallery's address chooses, and that every scenario hangs in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  framesOf,
  nameOf,
  readChoice,
  toFrame,
  toGalleryQuery,
} from '../../demo/gallery/frames.js';
import { shown } from '../../demo/gallery/more-scenes.js';
import { sceneOf } from '../../demo/gallery/scenes.js';
import { scenarios } from '../../demo/qa/scenarios.js';
import { chosen } from './chosen.js';

const namesOf = (query: string) =>
  framesOf(readChoice(new URLSearchParams(query)), shown).map(nameOf);

describe('gallery', () => {
  it('has a screen for each scenario, and for nothing else', () => {
    const ids = scenarios.map(({ id }) => id);
    assert.deepEqual(Object.keys(sceneOf).toSorted(), ids.toSorted());
    const names = namesOf('');
    assert.deepEqual(names.slice(0, ids.length), ids);
    assert.equal(new Set(names).size, shown.length);
  });

  const choices: [query: string, names: readonly string[]][] = [
    ['find=expir', ['expired', 'late', 'expired-methods']],
    ['phase=expired', ['expired', 'expired-methods']],
    ['phase=failed&method=credit_card', ['card-merchant']],
    ['find=paid late&theme=light,dark&width=240', ['late.240', 'late.dark.240']],
    ['find=deadline&locale=es,pt-BR', ['deadline', 'deadline.es']],
    ['find=deadline&dir=rtl&content=long&text=200', ['deadline.200.long.rtl']],
    ['find=deadline&locale=fr', ['deadline']],
    ['phase=nothing', []],
  ];
  for (const [query, names] of choices) {
    it(`shows ${names.join(' and ') || 'nothing'} for ?${query}`, () => {
      assert.deepEqual(namesOf(query), names);
    });
  }

  it('writes a choice into the address as it reads it there', () => {
    for (const query of ['', 'phase=paid%2Cfailed&theme=dark&find=card', 'locale=pt-BR%2Cen']) {
      assert.equal(toGalleryQuery(readChoice(new URLSearchParams(query))).toString(), query);
    }
  });

  it('knows each kept picture by its name', () => {
    assert.equal(new Set(chosen).size, chosen.length);
    for (const name of chosen) assert.equal(nameOf(toFrame(name, scenarios)), name);
    assert.throws(() => toFrame('paid.blue', scenarios), /no axis has blue/);
    assert.throws(() => toFrame('unpaid', scenarios), /no scenario unpaid/);
  });
});
