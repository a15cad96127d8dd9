import path from 'node:path';

/** The root of the project: tests run from `dist/test/support`. */
export const root = path.resolve(__dirname, '..', '..', '..');

/** The folder of the packages that only tests need. */
export const installed = path.join(root, 'test', 'installed');
