export * from './define';
export * from './static';
export * from './typed';
