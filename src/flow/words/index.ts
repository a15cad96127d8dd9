export * from './catalogue';
export * from './duration';
export * from './errors';
export * from './jobs';
export * from './status';
export * from './summary';
export * from './text-cache';
