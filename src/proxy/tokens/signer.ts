/**
 * Signs short texts and opens what it signed. The payload is signed, not secret.
 *
 * Format: `v1.<base64url JSON>.<base64url HMAC>`. Web Crypto only: it runs wherever a merchant signs order tokens.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const version = 'v1';

/** Longest text that is read: the contract's limit for tokens. */
const maxLength = 2048;

/**
 * Most verified texts kept, so that their signature is not checked again; the oldest goes first. About 5 MB. Only texts with a
 * good signature are kept, so others cannot fill this.
 */
export const maxOpened = 10_000;

/** The purpose of a signature. Keys of different labels, or of another `publicUrl`, never accept each other's texts. */
type Label = 'lookup' | 'order' | 'postback';

/** An order and how long a text speaks for it. */
export interface OrderPayload {
  readonly e: string;
  /** Expiry, seconds since 1970. */
  readonly x: number;
}

/** What keys are derived from: the secrets, `[current, ...previous]`, and the proxy's address. */
export interface KeySource {
  readonly secrets: readonly string[];
  readonly publicUrl: string;
}

/** Signs payloads and opens what it signed. */
interface Signer<T> {
  sign(payload: T): Promise<string>;
  /**
   * The payload, or null for anything this signer did not sign, byte for byte. The caller checks expiry and subject.
   */
  open(text: string): Promise<T | null>;
}

/** A signer for one purpose. The first secret signs; all of them verify, so that secrets can be rotated. */
export function createSigner<T extends object>(
  label: Label,
  { secrets, publicUrl }: KeySource,
): Signer<T> {
  let derived: Promise<CryptoKey[]> | undefined;
  const keys = () =>
    (derived ??= Promise.all(secrets.map((secret) => deriveKey(secret, label, publicUrl))));

  return {
    async sign(payload) {
      const [current] = await keys();
      const body = `${version}.${toBase64Url(encoder.encode(JSON.stringify(payload)))}`;
      const signature = await crypto.subtle.sign('HMAC', current!, encoder.encode(body));
      return `${body}.${toBase64Url(new Uint8Array(signature))}`;
    },

    async open(text) {
      const parts = text.length <= maxLength ? text.split('.') : [];
      const [head, payload, signature] = parts;
      if (parts.length !== 3 || !payload || !signature) return null;
      const bytes = fromBase64Url(signature);
      if (bytes === null) return null;
      const body = encoder.encode(`${head}.${payload}`);
      for (const key of await keys()) {
        // Web Crypto compares in constant time, on every runtime.
        if (!(await crypto.subtle.verify('HMAC', key, bytes, body))) continue;
        // The shape is the one we signed.
        return JSON.parse(decoder.decode(fromBase64Url(payload) ?? new Uint8Array())) as T;
      }
      return null;
    },
  };
}

/** The same signer, for texts that come again and again: what it has verified once it opens without another check. */
export function withMemory<T extends object>(signer: Signer<T>): Signer<T> {
  const opened = new Map<string, T>();
  return {
    ...signer,
    async open(text) {
      const known = opened.get(text);
      if (known) return known;
      const payload = await signer.open(text);
      if (payload === null) return null;
      opened.set(text, Object.freeze(payload));
      const [oldest] = opened.size > maxOpened ? opened.keys() : [];
      if (oldest !== undefined) opened.delete(oldest);
      return payload;
    },
  };
}

/** RFC 5869: the info holds the purpose and the address, so that no key has two uses. */
async function deriveKey(secret: string, label: Label, publicUrl: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, [
    'deriveKey',
  ]);
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: encoder.encode(`pix-checkout ${version} ${label} ${publicUrl}`),
    },
    material,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  );
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Strict: the unused last bits of a final character must be zero, or two texts would carry one signature. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : null;
}
