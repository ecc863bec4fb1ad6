/**
 * Web Crypto without threads: the same algorithms, computed at once. The real one answers when a thread is done, and two
 * runs of one seed would differ.
 *
 * Knows the operations the proxy uses, and no other.
 */

import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

interface InstantKey {
  readonly bytes: Uint8Array;
}

interface Derivation {
  readonly info: Uint8Array;
}

const derived = new Map<string, InstantKey>();

const sha256 = (key: InstantKey, data: Uint8Array) =>
  createHmac('sha256', key.bytes).update(data).digest();

/** Puts it in place of `crypto.subtle`. @returns what takes that back */
export function useInstantCrypto(): () => void {
  // A test may change a method of it, and take that back by deleting its own.
  const value: unknown = Object.create(instantSubtle);
  Object.defineProperty(globalThis.crypto, 'subtle', { value, configurable: true });
  return () => Reflect.deleteProperty(globalThis.crypto, 'subtle');
}

const instantSubtle = {
  async importKey(_format: 'raw', bytes: Uint8Array): Promise<InstantKey> {
    return { bytes };
  },
  async generateKey(): Promise<InstantKey> {
    return { bytes: new Uint8Array(32) };
  },
  async deriveKey({ info }: Derivation, { bytes }: InstantKey): Promise<InstantKey> {
    const name = `${String(bytes)} ${String(info)}`;
    const key = derived.get(name) ?? {
      bytes: new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), info, 32)),
    };
    derived.set(name, key);
    return key;
  },
  async sign(_name: 'HMAC', key: InstantKey, data: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(sha256(key, data));
  },
  async verify(
    _name: 'HMAC',
    key: InstantKey,
    signature: Uint8Array,
    data: Uint8Array,
  ): Promise<boolean> {
    const own = sha256(key, data);
    return own.length === signature.length && timingSafeEqual(own, signature);
  },
  async digest(_name: 'SHA-256', data: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(createHash('sha256').update(data).digest());
  },
};
