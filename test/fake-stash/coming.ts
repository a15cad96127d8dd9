/**
 * What open pull requests of Stash bring, as their source says. No release has it, and it may still change. What their source
 * does not say is not here.
 */

/** The roles of a user. ADMIN includes all, and each includes READ. */
export type Role = 'READ' | 'MODIFY' | 'ADMIN';

export interface ComingOptions {
  /** Whether it has the tasks that are to replace clean, which then runs the first of them (no). */
  verifies?: boolean;
  /** The role of each user, in a release where users have roles (none). Who does not sign in may do everything. */
  role?: Role;
}

const CLEAN = 'metadataClean(input: CleanMetadataInput!): ID!';

const VERIFYING = `
extend type Mutation {
  "Checks whether files and folders are there, and marks those that are missing. Returns the job ID"
  verifyPaths(input: VerifyPathsInput!): ID!
  "Removes what is marked as missing. Returns the job ID"
  purgeMissing(input: PurgeMissingInput!): ID!
}

input VerifyPathsInput {
  paths: [String!]
  checkZipFileContents: Boolean
  dryRun: Boolean
  purgeMissing: Boolean
}

input PurgeMissingInput {
  paths: [String!]
  missingSinceBefore: Timestamp
  dryRun: Boolean
}`;

const ROLES = `
directive @hasRole(role: RoleEnum!) on FIELD_DEFINITION
directive @isUserOwner on FIELD_DEFINITION

enum RoleEnum {
  ADMIN
  READ
  MODIFY
}

type User {
  name: String!
  roles: [RoleEnum!] @isUserOwner
  api_key: String @isUserOwner
}

extend type Query {
  users: [User!]! @hasRole(role: ADMIN)
  me: User
}`;

/** Returns the text of a schema with what is to come. */
export function withComing(text: string, { verifies, role }: ComingOptions): string {
  const deprecated = `${CLEAN} @deprecated(reason: "Use verifyPaths and purgeMissing instead")`;
  return (verifies ? text.replace(CLEAN, deprecated) + VERIFYING : text) + (role ? ROLES : '');
}

/** The mutations for which MODIFY is enough: those of items, and running plugins. */
const OF_ITEMS =
  /^(?:bulk)?(?:scene(?!GenerateScreenshot)|image|gallery|performer|studio|movie|group|tag)|^runPlugin/i;

/** Returns the resolvers for a user with this role. Those of what it does not include refuse. */
export function withRole<Root extends object>(role: Role, root: Root, mutations: readonly string[]): Root {
  const user = { name: 'amy', roles: [role] };
  const refuse = () => {
    throw new Error('unauthorized');
  };
  const others = [...mutations, 'verifyPaths', 'purgeMissing', 'users'];
  const refused = others.filter((name) => role === 'READ' || !OF_ITEMS.test(name));
  const refusals = Object.fromEntries(refused.map((name) => [name, refuse]));
  return { ...root, users: () => [user], me: () => user, ...(role !== 'ADMIN' && refusals) };
}
