/** The name on a card, cut in two. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { checkHolder, maxHolderLength, splitHolder } from '../../../src/domain/card/card-fields.js';
import { maps } from '../../support/tables.js';

describe('first name, last name and fault of what is on a card', () => {
  const read = (typed: string) => [...Object.values(splitHolder(typed)), checkHolder(typed)];
  maps(read, [
    ['MARIA SILVA', ['MARIA', 'SILVA', null]],
    ['Maria da Silva', ['Maria', 'da Silva', null]],
    ['  José\u00a0\t A  D’Ávila\u200b ', ['José', 'A D’Ávila', null]],
    ['POSTO 7 LTDA', ['POSTO', '7 LTDA', null]],
    ['J SILVA', ['J', 'SILVA', null]],
    ['李 小龍', ['李', '小龍', null]],
    ['', ['', '', 'missing']],
    [' \u200b\n', ['', '', 'missing']],
    ['APRO', ['APRO', '', 'incomplete']],
    ['Maria ', ['Maria', '', 'incomplete']],
    ['4111 1111 1111 1111', ['4111', '1111 1111 1111', 'invalid']],
    ['05/30', ['05/30', '', 'invalid']],
    ['- .', ['-', '.', 'invalid']],
  ]);

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
