/** Beside the other frameworks' pages, below one path. */
export default { basePath: '/next' };
