/**
 * The script tag's file. It exports nothing and uses nothing that only a module may use, so that it also runs as a classic
 * script, joined with others, or from a `blob:` address.
 */

import './register.js';
