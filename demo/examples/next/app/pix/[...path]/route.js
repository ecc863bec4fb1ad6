import { getProxy } from '../../../pix.js';

const handle = async (request) => (await getProxy()).fetch(request);
export { handle as GET, handle as POST, handle as OPTIONS };
export const dynamic = 'force-dynamic';
