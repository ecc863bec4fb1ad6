/** Packages that Next must not bundle: they read files of their own. */
export default { serverExternalPackages: ['pix-checkout', 'libsql'] };
