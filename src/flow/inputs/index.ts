export * from './define';
export * from './items';
export * from './job';
export * from './static';
export * from './typed';
