/** Passes /pix on to the proxy: your web server may do it instead. */
const rewrites = () => [
  { source: '/pix/:path*', destination: `${process.env.SHOP_URL}/pix/:path*` },
];

export default { rewrites };
