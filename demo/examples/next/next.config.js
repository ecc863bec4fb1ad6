/** libsql holds native code, which Next must not bundle. pix-checkout is bundled: its component needs Next's own React. */
export default { serverExternalPackages: ['libsql'] };
