export * from './define';
export * from './job';
export * from './static';
export * from './typed';
