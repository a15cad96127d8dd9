export * from './catalogue';
export * from './errors';
export * from './fitting';
export * from './jobs';
export * from './names';
export * from './status';
export * from './summary';
