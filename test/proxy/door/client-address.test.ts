/** Whose address the service is told, and how far forwarding headers are believed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { toSubscriber } from '../../../src/proxy/runtime/client-address.js';
import { dataOf, openShop } from '../../support/proxy/shop.js';
import { maps } from '../../support/tables.js';

const forwarded = 'x-forwarded-for';

describe('ip_payer', () => {
  const cases: [remote: string | undefined, hops: number, header: string | null, ip: unknown][] = [
    ['203.0.113.9', 0, null, '203.0.113.9'],
    ['203.0.113.9', 0, '6.6.6.6', '203.0.113.9'],
    ['::ffff:203.0.113.9', 0, null, '203.0.113.9'],
    ['2001:DB8::1', 0, null, '2001:db8::1'],
    ['fe80::1%eth0', 0, null, 'fe80::1'],
    [undefined, 0, '6.6.6.6', undefined],
    ['', 0, null, undefined],
    ['not an address', 0, null, undefined],
    ['999.1.1.1', 0, null, undefined],
    ['1.2.3', 0, null, undefined],
    ['1.2.3.4.', 0, null, undefined],
    ['::::', 0, null, undefined],
    ['a:b', 0, null, undefined],
    ['10.0.0.1', 1, '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', 1, '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', 2, '6.6.6.6, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', 1, '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', 1, '[2001:db8::1]:4711', '2001:db8::1'],
    ['10.0.0.1', 1, '"[2001:db8::1]"', '2001:db8::1'],
    // Not through all the hops: only the connection is certain.
    ['203.0.113.9', 1, null, '203.0.113.9'],
    ['203.0.113.9', 2, '6.6.6.6', '203.0.113.9'],
    ['10.0.0.1', 1, 'unknown', undefined],
    ['10.0.0.1', 1, '6.6.6.6,', undefined],
    ['10.0.0.1', 1, "6.6.6.6, '; drop table", undefined],
  ];
  for (const [remoteAddress, trustedHops, header, ip] of cases) {
    it(`is ${String(ip)} for ${remoteAddress} after ${trustedHops} hops with ${header}`, async () => {
      const shop = openShop({ trustedHops });
      const headers: Record<string, string> = header === null ? {} : { [forwarded]: header };
      const connection = remoteAddress === undefined ? {} : { remoteAddress };
      await dataOf(await shop.create({ headers, ...connection }));
      assert.equal(shop.upstream.sent[0]?.body?.['ip_payer'], ip);
    });
  }
});

describe('forwarding headers without trustedHops', () => {
  const cases: [remoteAddress: string, header: string | null, warnings: number][] = [
    ['127.0.0.1', forwarded, 1],
    ['10.1.2.3', forwarded, 1],
    ['172.16.0.1', forwarded, 1],
    ['192.168.1.1', forwarded, 1],
    ['::1', forwarded, 1],
    ['fd00::1', forwarded, 1],
    ['::ffff:10.0.0.1', forwarded, 1],
    ['10.1.2.3', 'forwarded', 1],
    ['10.1.2.3', null, 0],
    ['203.0.113.9', forwarded, 0],
    ['172.32.0.1', forwarded, 0],
  ];
  for (const [remoteAddress, header, warnings] of cases) {
    it(`${header} from ${remoteAddress}: ${warnings} warnings`, async () => {
      const shop = openShop();
      const headers: Record<string, string> = header === null ? {} : { [header]: 'for=6.6.6.6' };
      for (let i = 0; i < 3; i++) await dataOf(await shop.create({ headers, remoteAddress }));
      const warning = { level: 'warn', event: 'forwarding_not_trusted' };
      assert.equal(shop.log.length, warnings);
      for (const entry of shop.log) assert.deepEqual(entry, warning);
    });
  }
});

describe('a subscriber', () => {
  maps(toSubscriber, [
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001::7:8', '2001:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:203.0.113.9', '1:2:3:4::/64'],
  ]);
});
