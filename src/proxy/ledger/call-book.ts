/** Moved: see the store. */
export * from '../store/call-book.js';
