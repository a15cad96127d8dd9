import { checkFrozen } from './frozen';
import { cases } from '../../src/errors';

describe('The contract of the error codes', () => {
  it('keeps each code and each of its cases', () => {
    const found = Object.entries(cases).map(([code, list]) => [code, new Set(Object.keys(list))] as const);
    checkFrozen('error-codes.json', Object.fromEntries(found), {
      rule: 'The error codes are a contract: flows compare them, so a code keeps its name and its meaning.',
    });
  });
});
