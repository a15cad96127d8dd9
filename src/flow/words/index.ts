export * from './catalogue';
export * from './errors';
export * from './fitting';
export * from './jobs';
export * from './status';
export * from './summary';
