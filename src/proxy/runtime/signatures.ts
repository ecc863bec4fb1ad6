/**
 * Signatures and digests. They use `node:crypto` where the runtime has it, because Web Crypto sends each one through a
 * thread, and a creation makes several. Both make the same bytes and compare in constant time.
 */

type NodeCrypto = ReturnType<typeof process.getBuiltinModule<'node:crypto'>>;
type Bytes = Uint8Array<ArrayBuffer>;

/** A key for HMAC-SHA-256. */
export interface SigningKey {
  sign(text: string): Promise<Bytes>;
  verify(text: string, signature: Bytes): Promise<boolean>;
}

/** Length of a key, bytes: that of the hash (RFC 2104 section 3). */
const keyBytes = 32;

const encoder = new TextEncoder();

/** Finds Node's module at run time and never imports it, so that a worker's bundle contains none of it. */
function findNodeCrypto(): NodeCrypto | null {
  return globalThis.process?.getBuiltinModule?.('node:crypto') ?? null;
}

/** Makes the SHA-256 of a text, in hexadecimal. @param node null for Web Crypto */
export async function digest(text: string, node = findNodeCrypto()): Promise<string> {
  if (node) return node.createHash('sha256').update(text).digest('hex');
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));
}

/** Derives a key by HKDF (RFC 5869) with SHA-256, without salt. @param node null for Web Crypto */
export async function deriveKey(
  secret: string,
  info: string,
  node = findNodeCrypto(),
): Promise<SigningKey> {
  if (node) {
    const key = new Uint8Array(node.hkdfSync('sha256', secret, '', info, keyBytes));
    const sign = async (text: string) =>
      new Uint8Array(node.createHmac('sha256', key).update(text).digest());
    return {
      sign,
      verify: async (text, signature) =>
        signature.length === keyBytes && node.timingSafeEqual(await sign(text), signature),
    };
  }
  const { subtle } = crypto;
  const material = await subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, [
    'deriveKey',
  ]);
  const key = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(info) },
    material,
    { name: 'HMAC', hash: 'SHA-256', length: keyBytes * 8 },
    false,
    ['sign', 'verify'],
  );
  return {
    sign: async (text) => new Uint8Array(await subtle.sign('HMAC', key, encoder.encode(text))),
    verify: (text, signature) => subtle.verify('HMAC', key, signature, encoder.encode(text)),
  };
}

export function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
