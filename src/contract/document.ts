/** The document of a new query node: every release answers it. */
export const EXAMPLE_DOCUMENT = '{\n  stats {\n    scene_count\n  }\n}\n';

/** The largest page of all releases before v0.18, which silently shorten larger ones. */
const MOST_PER_PAGE = 1000;

/** Returns the number of items on a page, 100 by default; undefined for what is none. */
export function pageSizeIn(value: unknown): number | undefined {
  const size = Number(value ?? 100);
  return Number.isInteger(size) && size >= 1 && size <= MOST_PER_PAGE ? size : undefined;
}

/** A row of the dialog: the value of one variable. Its type is `none` for a variable that is not given. */
export interface VariableRow {
  name: string;
  value: string;
  type: string;
}

/** A position in a document, counted from 0. The column is in UTF-16 units. */
export interface DocumentPosition {
  line: number;
  column: number;
}

/** A mistake in a document, or the use of something deprecated. */
export interface Mistake {
  text: string;
  isWarning: boolean;
  from: DocumentPosition;
  to: DocumentPosition;
}

/** Something that can be inserted at a position. */
export interface Completion {
  label: string;
  /** What it is, as GraphQL writes it. */
  type: string;
  /** Its description in the schema; empty without one. */
  description: string;
  isDeprecated: boolean;
}

export interface DeclaredVariable {
  /** Without the dollar sign. */
  name: string;
  /** As GraphQL writes it, such as `[ID!]`. */
  type: string;
  /** Its type without lists and exclamation marks. */
  namedType: string;
  /** It must be given, because it can neither be null nor has a default. */
  isRequired: boolean;
  /** The choices of an enum; empty for any other type, and where the schema is unknown. */
  choices: readonly string[];
}

/** What a dialog knows about a document while it is typed. */
export interface DocumentState {
  release: string;
  /** Whether the schema is known. Without it, only the syntax is checked. */
  isChecked: boolean;
  mistakes: readonly Mistake[];
  /** The declared variables; null while a mistake hides them. */
  variables: readonly DeclaredVariable[] | null;
  /** Why a node would refuse a document without mistakes; null if it would not. */
  refusal: { case: string } | null;
  /** Whether it starts a job, which a message can wait for. */
  startsJob: boolean;
}

/** The responses to the requests of a dialog: about the document, about what fits at a position in it, or what is there. */
export interface DocumentAnswers {
  state: DocumentState;
  completions: { completions: readonly Completion[] };
  /** Empty for nothing. */
  hover: { hover: string };
}
