export * from './define';
export * from './items';
export * from './static';
export * from './typed';
