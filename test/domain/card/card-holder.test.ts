/** The name on a card, cut in two. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkHolder, maxHolderLength, splitHolder } from '../../../src/domain/card/card-holder.js';
import type { HolderFault } from '../../../src/domain/card/card-holder.js';

describe('the name on a card', () => {
  const cases: readonly [
    typed: string,
    first_name: string,
    last_name: string,
    fault: HolderFault | null,
  ][] = [
    ['MARIA SILVA', 'MARIA', 'SILVA', null],
    ['Maria da Silva', 'Maria', 'da Silva', null],
    ['  José\u00a0\t A  D’Ávila\u200b ', 'José', 'A D’Ávila', null],
    ['POSTO 7 LTDA', 'POSTO', '7 LTDA', null],
    ['J SILVA', 'J', 'SILVA', null],
    ['李 小龍', '李', '小龍', null],
    ['', '', '', 'missing'],
    [' \u200b\n', '', '', 'missing'],
    ['APRO', 'APRO', '', 'incomplete'],
    ['Maria ', 'Maria', '', 'incomplete'],
    ['4111 1111 1111 1111', '4111', '1111 1111 1111', 'invalid'],
    ['05/30', '05/30', '', 'invalid'],
    ['- .', '-', '.', 'invalid'],
  ];
  for (const [typed, first_name, last_name, fault] of cases) {
    it(`${JSON.stringify(typed)}: ${fault ?? 'nothing wrong'}`, () => {
      assert.deepEqual(splitHolder(typed), { first_name, last_name });
      assert.equal(checkHolder(typed), fault);
    });
  }

  it('Assumed: the service takes names as long as this', () => {
    const long = 'a'.repeat(maxHolderLength);
    assert.equal(checkHolder(`${long} ${long}`), null);
    assert.equal(checkHolder(`${long}a b`), 'too_long');
    assert.equal(checkHolder(`a ${long}b`), 'too_long');
  });

  it('Assumed: the service needs both names', () => {
    assert.equal(checkHolder('Pelé'), 'incomplete');
  });
});
