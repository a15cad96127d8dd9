import assert from 'node:assert/strict';
import { checks } from '../../src/contract/connection-test';

/** What a button does against a problem. */
export interface Remedy {
  kind: string;
  url?: string;
  auth?: string;
  field?: string;
}

/** A line of the Test button. */
export interface Line {
  /** Missing in a refusal. */
  check?: string;
  state: string;
  text?: string;
  case?: string;
  details: Record<string, unknown>;
  remedies: Remedy[];
}

/** The response of the Test button. */
export class Results {
  readonly #last = new Map<string | undefined, Line>();

  constructor(
    /** All lines, in the order in which they came. */
    readonly lines: readonly Line[],
  ) {
    for (const line of lines) this.#last.set(line.check, line);
  }

  /** Why nothing was checked. */
  get refusal(): Line | undefined {
    return this.#last.get(undefined);
  }

  /** The last lines, in the order of the checks. */
  get all(): Line[] {
    return checks.flatMap((check) => this.#last.get(check) ?? []);
  }

  /** The case of the first error, or the text of the first check that failed. */
  get failure(): string | undefined {
    const failed = this.all.find(({ state }) => state === 'failed');
    return this.refusal?.case ?? failed?.case ?? failed?.text;
  }

  /** Whether Stash has accepted the credentials. */
  get isConnected(): boolean {
    return ['ok', 'hint'].includes(this.#last.get('graphql')?.state ?? '');
  }

  /** Whether no check failed. */
  get isReady(): boolean {
    return this.isConnected && this.failure === undefined && this.all.length === checks.length;
  }

  /** Returns what a check found. @param which the case of its error. */
  at(check: string, which?: string): Line {
    const line = this.#last.get(check);
    assert.ok(line, `${check} is not in ${JSON.stringify(this.lines)}`);
    if (which !== undefined) assert.equal(line.case, which);
    return line;
  }
}
