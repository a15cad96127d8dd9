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
