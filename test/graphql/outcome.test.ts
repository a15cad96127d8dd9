import assert from 'node:assert/strict';
import { type ErrorCase, StashError } from '../../src/errors';
import {
  isAway,
  isOutdated,
  isSameOperation,
  mutationError,
  refusesIntrospection,
} from '../../src/graphql/outcome';
import { checkState } from '../../src/graphql/server-state';

interface Row {
  error: ErrorCase;
  circumstances?: Partial<ConstructorParameters<typeof StashError>[1]>;
  away?: true;
  outdated?: true;
  noIntrospection?: true;
  /** What the error means for a mutation that was sent; the error itself by default. */
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
  { error: 'GRAPHQL.refused', circumstances: { status: 422 }, outdated: true, noIntrospection: true },
  {
    error: 'GRAPHQL.failed',
    circumstances: { details: { text: 'introspection disabled' } },
    noIntrospection: true,
  },
  { error: 'GRAPHQL.failed', circumstances: { details: { text: 'no __type here' } }, noIntrospection: true },
  { error: 'GRAPHQL.failed', circumstances: { details: { text: 'busy' } } },
  { error: 'UNAUTHORIZED.keyRefused', circumstances: { status: 401 } },
  { error: 'NOT_STASH.page', circumstances: { status: 200 } },
  { error: 'SERVER_STATE.setup', circumstances: { retry: true } },
  { error: 'CLOSED.closed' },
];

for (const { error: which, circumstances, away, outdated, noIntrospection, mutation } of ROWS) {
  describe(`What ${which} ${JSON.stringify(circumstances ?? {})} means`, () => {
    const error = new StashError(which, { details: {}, ...circumstances });

    it(`is that the server is ${away ? '' : 'not '}away`, () => {
      assert.equal(isAway(error), away ?? false);
    });

    it(`is that the schema may ${outdated ? '' : 'not '}be outdated`, () => {
      assert.equal(isOutdated(error), outdated ?? false);
    });

    it(`is that the server has ${noIntrospection ? 'no' : 'perhaps'} introspection`, () => {
      assert.equal(refusesIntrospection(error), noIntrospection ?? false);
    });

    it(`is ${mutation ?? 'the same'} for a mutation that was sent, which only a server in no state for it may get again`, () => {
      const meant = mutationError(error);
      assert.equal(meant.case, mutation ?? which);
      assert.equal(meant.retry, which === 'SERVER_STATE.setup');
    });
  });
}

describe('An error of somebody else', () => {
  it('means nothing for the server', () => {
    for (const judge of [isAway, isOutdated, refusesIntrospection])
      assert.equal(judge(new Error('x')), false);
  });
});

describe('The state of a server', () => {
  const refusals: [status: string, mutation: ErrorCase | null, backup: ErrorCase | null][] = [
    ['OK', null, null],
    ['SETUP', 'SERVER_STATE.setup', 'SERVER_STATE.setup'],
    ['NEEDS_MIGRATION', 'SERVER_STATE.migration', null],
    ['of a later release', null, null],
  ];
  for (const [status, mutation, backup] of refusals) {
    it(`${status} refuses a mutation with ${mutation ?? 'nothing'}, a backup with ${backup ?? 'nothing'}`, () => {
      for (const [kind, refusal] of [
        ['mutation', mutation],
        ['backup', backup],
      ] as const) {
        const check = () => {
          checkState(status, kind);
        };
        if (refusal === null) assert.doesNotThrow(check);
        else assert.throws(check, { case: refusal, retry: true });
      }
    });
  }
});

describe('An operation that was refused', () => {
  const operation = (document: string, variables?: Record<string, unknown>) => ({
    rootField: 'x',
    document,
    ...(variables && { variables }),
    read: () => null,
  });

  it('is the same where document and variables are', () => {
    assert.equal(isSameOperation(operation('{ a }', { b: [1] }), operation('{ a }', { b: [1] })), true);
    assert.equal(isSameOperation(operation('{ a }'), operation('{ a }')), true);
  });

  it('is another one where document or variables differ, or where none was sent', () => {
    assert.equal(isSameOperation(operation('{ a }'), operation('{ b }')), false);
    assert.equal(isSameOperation(operation('{ a }', { b: 1 }), operation('{ a }', { b: 2 })), false);
    assert.equal(isSameOperation(undefined, operation('{ a }')), false);
  });
});
