import assert from 'node:assert/strict';
import { type ErrorCase, StashError } from '../../src/errors';
import {
  isUnreachable,
  suggestsOldSchema,
  isSameOperation,
  mutationError,
  refusesIntrospection,
} from '../../src/graphql/error-meaning';

interface Row {
  error: ErrorCase;
  circumstances?: Partial<ConstructorParameters<typeof StashError>[1]>;
  away?: true;
  outdated?: true;
  noIntrospection?: true;
  /** The error of a mutation that was sent; by default the error itself. */
  mutation?: ErrorCase;
}

const ROWS: Row[] = [
  { error: 'UNREACHABLE.refused', away: true, mutation: 'OUTCOME_UNKNOWN.lost' },
  { error: 'UNREACHABLE.lost', away: true, mutation: 'OUTCOME_UNKNOWN.lost' },
  { error: 'UNREACHABLE.notLoaded', mutation: 'OUTCOME_UNKNOWN.lost' },
  { error: 'HTTP.status', circumstances: { status: 500, retry: true } },
  { error: 'HTTP.status', circumstances: { status: 502 }, away: true, mutation: 'OUTCOME_UNKNOWN.gateway' },
  { error: 'HTTP.status', circumstances: { status: 503 }, away: true },
  { error: 'HTTP.status', circumstances: { status: 504 }, away: true, mutation: 'OUTCOME_UNKNOWN.gateway' },
  { error: 'TIMEOUT.noAnswer', circumstances: { retry: true }, mutation: 'OUTCOME_UNKNOWN.noAnswer' },
  { error: 'UNSUPPORTED.lacking', outdated: true },
  { error: 'GRAPHQL.form', mutation: 'OUTCOME_UNKNOWN.form' },
  { error: 'GRAPHQL.refused', circumstances: { status: 422 }, outdated: true },
  {
    error: 'GRAPHQL.refused',
    circumstances: { status: 422, details: { text: 'GraphQL introspection is not allowed' } },
    outdated: true,
    noIntrospection: true,
  },
  {
    error: 'GRAPHQL.failed',
    circumstances: { details: { text: 'introspection disabled' } },
    noIntrospection: true,
  },
  { error: 'GRAPHQL.failed', circumstances: { details: { text: 'no __type here' } }, noIntrospection: true },
  {
    error: 'GRAPHQL.failed',
    circumstances: { details: { text: 'no __schema here' } },
    noIntrospection: true,
  },
  { error: 'GRAPHQL.failed', circumstances: { details: { text: 'busy' } } },
  { error: 'HTTP.status', circumstances: { status: 500, details: { text: 'introspection' }, retry: true } },
  { error: 'UNAUTHORIZED.keyRefused', circumstances: { status: 401 } },
  { error: 'NOT_STASH.page', circumstances: { status: 200 } },
  { error: 'SERVER_STATE.setup', circumstances: { retry: true } },
  { error: 'CLOSED.closed' },
];

for (const { error: which, circumstances, away, outdated, noIntrospection, mutation } of ROWS) {
  describe(`The error ${which} ${JSON.stringify(circumstances ?? {})}`, () => {
    const error = new StashError(which, { details: {}, ...circumstances });

    it(`means that the server is ${away ? '' : 'not '}away`, () => {
      assert.equal(isUnreachable(error), away ?? false);
    });

    it(`means that the schema ${outdated ? 'may be' : 'is not'} outdated`, () => {
      assert.equal(suggestsOldSchema(error), outdated ?? false);
    });

    it(`${noIntrospection ? 'means' : 'does not mean'} that introspection is disabled`, () => {
      assert.equal(refusesIntrospection(error), noIntrospection ?? false);
    });

    it(`becomes ${mutation ?? 'the same'} for a sent mutation, and only SERVER_STATE allows a retry`, () => {
      const meant = mutationError(error);
      assert.equal(meant.case, mutation ?? which);
      assert.equal(meant.retry, which === 'SERVER_STATE.setup');
      if (!mutation) assert.deepEqual([meant.status, meant.details], [error.status, error.details]);
    });
  });
}

describe('An error of another package', () => {
  it('says nothing about the server', () => {
    for (const judge of [isUnreachable, suggestsOldSchema, refusesIntrospection])
      assert.equal(judge(new Error('x')), false);
  });
});

describe('A refused operation', () => {
  const operation = (document: string, variables?: Record<string, unknown>) => ({
    rootField: 'x',
    document,
    ...(variables && { variables }),
    read: () => null,
  });

  it('equals one with the same document and variables', () => {
    assert.equal(isSameOperation(operation('{ a }', { b: [1] }), operation('{ a }', { b: [1] })), true);
    assert.equal(isSameOperation(operation('{ a }'), operation('{ a }')), true);
  });

  it('differs from one with another document or other variables', () => {
    assert.equal(isSameOperation(operation('{ a }'), operation('{ b }')), false);
    assert.equal(isSameOperation(operation('{ a }', { b: 1 }), operation('{ a }', { b: 2 })), false);
    assert.equal(isSameOperation(undefined, operation('{ a }')), false);
  });
});
