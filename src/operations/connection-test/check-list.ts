import {
  type CheckLine,
  type CheckName,
  type Finding,
  type FindingText,
  type findingTexts,
  type Remedy,
} from '../../contract/connection-test';
import { type ErrorCase, StashError } from '../../errors';

/** Shows a line in the dialog. Resolves when it can take the next one. */
export type ReportLine = (line: CheckLine) => Promise<void>;

/** Runs checks, and shows the result of each as soon as it is known. */
export class CheckList {
  /** The first check that failed with an error. */
  failure: { check: CheckName; error: StashError } | undefined;
  readonly #report: ReportLine;
  readonly #found = new Map<CheckName, Finding>();

  constructor(report: ReportLine) {
    this.#report = report;
  }

  textOf(check: CheckName): Finding['text'] {
    return this.#found.get(check)?.text;
  }

  /**
   * Runs a check.
   * @returns its result; undefined if it failed, so that what depends on it is not checked.
   * @throws what is no StashError.
   */
  async run<Found extends Finding>(check: CheckName, task: () => Promise<Found>): Promise<Found | undefined> {
    await this.#report({ check, state: 'running' });
    const result = await task().catch(stashErrorOf);
    if (result instanceof StashError) {
      await this.#fail(check, ofThisTest(result));
      return undefined;
    }
    await this.#show(check, result);
    return result.state === 'failed' ? undefined : result;
  }

  /** Adds remedies to a check that failed, before those that it has. */
  async amend(check: CheckName, remedies: readonly Remedy[]): Promise<void> {
    const finding = this.#found.get(check);
    if (!finding || remedies.length === 0) return;
    await this.#show(check, { ...finding, remedies: [...remedies, ...finding.remedies] });
  }

  async #fail(check: CheckName, error: StashError): Promise<void> {
    this.failure ??= { check, error };
    // No text of the server: otherwise a browser could read what only Node-RED can reach.
    const { text, ...details } = error.details;
    await this.#show(check, {
      state: 'failed',
      // In place of words that quote it.
      ...(text !== undefined && { text: 'serverError' }),
      case: error.case,
      details,
      remedies: remediesOf(error),
    });
  }

  /** @param finding may contain more, which stays here. */
  async #show(check: CheckName, finding: Finding): Promise<void> {
    this.#found.set(check, finding);
    const { state, text, case: which, details, remedies } = finding;
    await this.#report({
      check,
      state,
      ...(text && { text }),
      ...(which && { case: which }),
      details,
      remedies,
    });
  }
}

function stashErrorOf(error: unknown): StashError {
  if (error instanceof StashError) return error;
  throw error;
}

/** Replaces the error of a time limit: those in the dialog are not for the test. */
function ofThisTest(error: StashError): StashError {
  const { seconds } = error.details;
  if (error.case !== 'TIMEOUT.noAnswer' || seconds === undefined) return error;
  return new StashError('TIMEOUT.test', { details: { seconds } });
}

/** The values of the placeholders in a text; none for a text without. */
type FindingDetails<Text extends FindingText> = [(typeof findingTexts)[Text][number]] extends [never]
  ? []
  : [Readonly<Record<(typeof findingTexts)[Text][number], string | number>>];

/** Returns a finding without a remedy. */
export function found<Text extends FindingText>(
  state: Finding['state'],
  text: Text,
  ...[details]: FindingDetails<Text>
): Finding {
  return { state, text, details: details ?? {}, remedies: [] };
}

const find: Remedy = { kind: 'find' };
const field = (name: Extract<Remedy, { kind: 'field' }>['field']): Remedy => ({ kind: 'field', field: name });

/** The remedies that do not depend on the server. */
const REMEDIES: Partial<Record<ErrorCase, Remedy>> = {
  'UNREACHABLE.refused': find,
  'UNREACHABLE.refusedHere': find,
  'UNREACHABLE.unknownHost': find,
  'UNREACHABLE.noRoute': find,
  'UNREACHABLE.proxy': field('proxy'),
  'UNREACHABLE.proxyRefused': field('proxy'),
  'UNREACHABLE.proxySignIn': field('proxy'),
  'HTTP.proxied': field('proxy'),
  'TLS.authority': field('tls'),
  'TLS.name': field('tls'),
  'TLS.clientCertificate': field('tls'),
  'UNAUTHORIZED.keyNeeded': { kind: 'auth', auth: 'apiKey' },
  'UNAUTHORIZED.keyMissing': field('apiKey'),
  'UNAUTHORIZED.keyUnusable': field('apiKey'),
  'UNAUTHORIZED.variableInKey': field('apiKey'),
  'UNAUTHORIZED.loginMissing': field('password'),
  'UNAUTHORIZED.keyRefused': field('apiKey'),
  'UNAUTHORIZED.signInRefused': field('password'),
  'UNAUTHORIZED.signInPaused': field('password'),
  'UNAUTHORIZED.sessionRefused': { kind: 'auth', auth: 'apiKey' },
  'UNAUTHORIZED.gate': field('headers'),
  'NOT_STASH.page': field('headers'),
  'NOT_STASH.redirect': field('headers'),
  'NOT_STASH.notGraphQL': find,
  'NOT_STASH.otherGraphQL': find,
};

/** Returns what a button can do against an error at once. */
export function remediesOf({ case: which, status }: StashError): readonly Remedy[] {
  // A reverse proxy refuses what lacks a header.
  const remedy = which === 'HTTP.status' && status === 403 ? field('headers') : REMEDIES[which];
  return remedy ? [remedy] : [];
}
