import type { GraphQLSchema } from 'graphql';
import type * as LanguageService from 'graphql-language-service';
import type { Completion, DocumentPosition, Mistake } from '../contract/document';
import { StashError } from '../errors';
import { redact } from '../redact';

/** The editor requests help again as people type. */
const MOST_COMPLETIONS = 500;
/** In UTF-16 units. */
const LONGEST_DESCRIPTION = 2000;

/**
 * The most characters, tokens and levels of a document that an editor is helped with, and the longest token. The time of an
 * answer grows with the square of each: about a second for 20,000 blanks in one line.
 */
const MOST_CHARACTERS = 20_000;
const MOST_TOKENS = 2_500;
const MOST_LEVELS = 60;
const LONGEST_TOKEN = 1_000;

/** Loaded with the first request of a dialog. */
export type LanguageServiceLibrary = typeof LanguageService;

export class DocumentHelp {
  readonly #library: LanguageServiceLibrary;
  readonly #schema: GraphQLSchema | null;

  /** @param schema null if the server offers no introspection: then it finds only mistakes in the syntax. */
  constructor(library: LanguageServiceLibrary, schema: GraphQLSchema | null) {
    this.#library = library;
    this.#schema = schema;
  }

  /** @throws {StashError} BAD_INPUT for a document that is too long. */
  mistakes(text: string): Mistake[] {
    return this.#library
      .getDiagnostics(checkedSize(text), this.#schema)
      .map(({ message, severity, range: { start, end } }) => ({
        text: redact(typeof message === 'string' ? message : message.value),
        isWarning: severity !== this.#library.DIAGNOSTIC_SEVERITY.Error,
        from: { line: start.line, column: start.character },
        to: { line: end.line, column: end.character },
      }));
  }

  /** @throws {StashError} BAD_INPUT for a document that is too long. */
  completions(text: string, position: DocumentPosition): Completion[] {
    if (!this.#schema) return [];
    return this.#library
      .getAutocompleteSuggestions(this.#schema, checkedSize(text), this.#position(position))
      .slice(0, MOST_COMPLETIONS)
      .map(({ label, detail = '', documentation, isDeprecated = false }) => ({
        label,
        type: detail,
        description: (typeof documentation === 'string' ? documentation : '').slice(0, LONGEST_DESCRIPTION),
        isDeprecated,
      }));
  }

  /**
   * Returns type and description of what is at a position; empty for nothing.
   * @throws {StashError} as `completions`.
   */
  hover(text: string, position: DocumentPosition): string {
    if (!this.#schema) return '';
    const found = this.#library.getHoverInformation(
      this.#schema,
      checkedSize(text),
      this.#position(position),
      undefined,
      { useMarkdown: true },
    );
    return (typeof found === 'string' ? found : '').slice(0, LONGEST_DESCRIPTION);
  }

  #position({ line, column }: DocumentPosition) {
    return new this.#library.Position(line, column);
  }
}

/** @throws {StashError} BAD_INPUT for a document that would take too long. It may have mistakes, so it cannot be parsed. */
function checkedSize(text: string): string {
  if (text.length > MOST_CHARACTERS) throw new StashError('BAD_INPUT.longDocument');
  const tokens = text.match(/\w+|[^\s\w,]/g) ?? [];
  let level = 0;
  const isHard = tokens.some((token) => {
    if ('{[('.includes(token)) level += 1;
    if ('}])'.includes(token)) level -= 1;
    return level > MOST_LEVELS || token.length > LONGEST_TOKEN;
  });
  if (isHard || tokens.length > MOST_TOKENS) throw new StashError('BAD_INPUT.longDocument');
  return text;
}
