import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import { StashError } from '../errors';
import { load } from '../http';
import { timing } from '../timing';
import { checkDocument, type CheckedDocument, type GraphQLLibrary, readDocument } from './checked-document';
import { DocumentHelp } from './document-help';
import type { Schema } from './schema';

/** The response to `FULL_INTROSPECTION`. */
export type IntrospectionData = Readonly<Record<string, unknown>>;

/** More than the nodes of most flows have. */
const MOST_REMEMBERED = 50;

/**
 * Reads a document by its text alone.
 * @throws {StashError} as `readDocument`.
 */
export async function uncheckedDocument(text: string): Promise<CheckedDocument> {
  const library = await load('graphql', () => import('graphql'));
  return readDocument(library, null, text);
}

/** Checks users' documents against the whole schema of a server, each text once. */
export class Documents {
  /** The light schema that was read together with the whole one. */
  readonly of: Schema;
  /** Null if the server offers no introspection. */
  readonly schema: GraphQLSchema | null;
  readonly #library: GraphQLLibrary;
  readonly #readAt = performance.now();
  readonly #checked = new Map<string, CheckedDocument>();
  #help: DocumentHelp | undefined;

  /** @throws {StashError} NOT_STASH if the introspection describes no schema. */
  constructor(library: GraphQLLibrary, of: Schema, introspection: IntrospectionData | null) {
    this.#library = library;
    this.of = of;
    try {
      this.schema =
        introspection &&
        library.buildClientSchema(introspection as unknown as IntrospectionQuery, { assumeValid: true });
    } catch {
      throw new StashError('NOT_STASH.notGraphQL');
    }
  }

  /** @throws {StashError} as `checkDocument`; NOT_STASH if the schema is too deep. */
  check(text: string): CheckedDocument {
    const existing = this.#checked.get(text);
    if (existing) return existing;
    const document = this.#newlyChecked(text);
    const [oldest] = this.#checked.keys();
    if (oldest !== undefined && this.#checked.size >= MOST_REMEMBERED) this.#checked.delete(oldest);
    this.#checked.set(text, document);
    return document;
  }

  #newlyChecked(text: string): CheckedDocument {
    try {
      return checkDocument(this.#library, this.schema, text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // The stack is full: the library calls itself for each list around a type.
      throw new StashError('NOT_STASH.notGraphQL');
    }
  }

  /**
   * @returns a document that may not fit the schema.
   * @throws {StashError} as `readDocument`.
   */
  read(text: string): CheckedDocument {
    return readDocument(this.#library, this.schema, text);
  }

  async help(): Promise<DocumentHelp> {
    const library = await load('graphql-language-service', () => import('graphql-language-service'));
    return (this.#help ??= new DocumentHelp(library, this.schema));
  }

  /** Whether a newer schema could accept a document that this one refused with `error`. */
  mayBeOutdated(error: unknown, text: string): boolean {
    const isRefused = error instanceof StashError && error.case === 'BAD_INPUT.document';
    if (!isRefused || performance.now() - this.#readAt < timing.schemaAge) return false;
    // A mistake in the syntax is one in any schema.
    readDocument(this.#library, null, text);
    return true;
  }
}

/**
 * Requests the whole schema with its descriptions, in the form that `buildClientSchema` reads. It has nothing that only some
 * releases know: arguments that include deprecated input fields (since v0.29, and all releases list those fields anyway),
 * `specifiedByURL` and `isRepeatable` (since v0.14).
 */
export const FULL_INTROSPECTION = `{
  __schema {
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types {
      kind name description
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason
        args { ...Value }
        type { ...Reference }
      }
      inputFields { ...Value }
      interfaces { ...Reference }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...Reference }
    }
    directives { name description locations args { ...Value } }
  }
}
fragment Value on __InputValue { name description defaultValue type { ...Reference } }
fragment Reference on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
}`;
