/** Where a phone in the same network opens the demo. */
import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { it } from 'vitest';
import { findNetworkAddress } from '../../demo/network-address.js';

const at = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

it('The demo names the address of a private network, and of no other', () => {
  const lo = [at('127.0.0.1', true)];
  assert.equal(
    findNetworkAddress({ lo, wlan0: [at('fe80::1'), at('192.168.1.7')] }),
    '192.168.1.7',
  );
  assert.equal(findNetworkAddress({ lo, eth0: [at('10.0.0.7')] }), '10.0.0.7');
  assert.equal(findNetworkAddress({ lo, eth0: [at('203.0.113.7')], tun0: undefined }), null);
});
