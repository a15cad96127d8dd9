import {
  __Type,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  MaxIntrospectionDepthRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  visit,
} from 'graphql';
import type { Quirks } from './quirks';

// The first minor version with each introspection field that graphql-js has and older releases lack.
const FIELDS: Readonly<Record<string, number>> = {
  '__InputValue.isDeprecated': 29,
  '__InputValue.deprecationReason': 29,
  '__Type.isOneOf': 29,
  '__Type.specifiedByURL': 14,
  '__Directive.isRepeatable': 14,
  '__Schema.description': 14,
};
const ARGUMENTS = { since: 29, fields: ['__Type.inputFields', '__Field.args', '__Directive.args'] };

// All releases return an empty list if a type has no such members; graphql-js returns null.
for (const name of ['fields', 'interfaces', 'possibleTypes', 'enumValues', 'inputFields']) {
  const field = __Type.getFields()[name];
  const usual = field?.resolve;
  if (field && usual) field.resolve = (...resolverArguments): unknown => usual(...resolverArguments) ?? [];
}

/** Returns the validation rules of a release, which differ for introspection. */
export function rulesOf({ minor }: Quirks): readonly ValidationRule[] {
  if (minor >= 29) return specifiedRules;
  const known = specifiedRules.filter((rule) => rule !== MaxIntrospectionDepthRule);
  return [...known, (context) => olderIntrospection(context, minor)];
}

function olderIntrospection(context: ValidationContext, minor: number): ASTVisitor {
  return {
    Field(node) {
      const type = context.getParentType()?.name ?? '';
      const name = node.name.value;
      const [argument] = node.arguments ?? [];
      const report = (message: string) => {
        context.reportError(new GraphQLError(message, { nodes: node }));
      };
      if (minor < (FIELDS[`${type}.${name}`] ?? 0)) report(`Cannot query field "${name}" on type "${type}".`);
      if (argument && minor < ARGUMENTS.since && ARGUMENTS.fields.includes(`${type}.${name}`)) {
        report(`Unknown argument "${argument.name.value}" on field "${type}.${name}".`);
      }
    },
  };
}

/** Adds `includeDeprecated`: Stash always shows deprecated arguments and input fields, graphql-js only on request. */
export function withDeprecatedInputs(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field(node) {
      if (node.name.value !== 'inputFields' && node.name.value !== 'args') return undefined;
      const name = { kind: Kind.NAME, value: 'includeDeprecated' } as const;
      const value = { kind: Kind.BOOLEAN, value: true } as const;
      return { ...node, arguments: [{ kind: Kind.ARGUMENT, name, value }] };
    },
  });
}
