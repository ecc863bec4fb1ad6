/** The worked themes: short, and made of nothing but what every shop may use. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { optionGroups } from '../../demo/qa/option-groups.js';
import { root } from '../tools/tools.js';

const folder = join(root, 'demo/themes');
const source = readFileSync(join(root, 'src/checkout/element/pix-checkout.ts'), 'utf8');
const namesOf = (tag: string) =>
  [...source.matchAll(new RegExp(`^ \\* @${tag} (\\S+)`, 'gm'))].map(([, name = '']) => name);

describe('themes', () => {
  for (const file of readdirSync(folder)) {
    it(`${file} takes at most sixty lines, and only custom properties and parts`, () => {
      const css = readFileSync(join(folder, file), 'utf8');
      assert.ok(css.split('\n').length <= 61);
      const rules = [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{([^{}]*)\}/g)];
      assert.ok(rules.length > 1);
      for (const [, selectors = '', body = ''] of rules) {
        for (const selector of selectors.split(',').map((one) => one.trim())) {
          const [, part] = /^pix-checkout(?:::part\(([\w-]+)\))?$/.exec(selector) ?? [];
          assert.ok(
            part === undefined ? selector === 'pix-checkout' : namesOf('csspart').includes(part),
          );
          if (part !== undefined) continue;
          for (const [, name = ''] of body.matchAll(/^\s*([\w-]+):/gm)) {
            assert.ok(namesOf('cssprop').includes(name), `${selector}: ${name}`);
          }
        }
      }
    });
  }

  it('are three, and the playground offers every custom property there is', () => {
    assert.deepEqual(readdirSync(folder), ['bank.css', 'pharmacy.css', 'street.css']);
    const offered = Object.keys(optionGroups['Looks: custom properties']);
    assert.deepEqual(offered, namesOf('cssprop'));
  });
});
