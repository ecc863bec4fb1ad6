/** The security code, by the brand beside it. */

import { describe } from 'vitest';
import { checkCardCode, normalizeCardCode } from '../../../src/domain/card/card-fields.js';
import { maps } from '../../support/tables.js';

describe('the security code', () => {
  maps(checkCardCode, [
    ['', 'visa', 'missing'],
    [' ', null, 'missing'],
    ['123', 'visa', null],
    ['１２３', 'visa', null],
    [' 1 2 3 ', 'elo', null],
    ['000', 'mastercard', null],
    ['1234', 'visa', 'invalid'],
    ['12', 'visa', 'invalid'],
    ['12a', 'visa', 'invalid'],
    ['1234', 'amex', null],
    ['123', 'amex', 'invalid'],
    ['123', null, null],
    ['1234', null, null],
    ['12', null, 'invalid'],
    ['12345', null, 'invalid'],
    ['12a', null, 'invalid'],
  ]);
  maps(normalizeCardCode, [[' ０1-2 ', '012']]);
});
