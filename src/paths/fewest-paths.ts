import { AbsolutePath } from './absolute-path';

/** With more paths in one folder, the folder replaces them. */
const MOST_OF_FOLDER = 50;

/** With more paths, the library folders that contain them replace them. */
const MOST_PATHS = 200;

interface Branch {
  readonly parent: Branch | undefined;
  readonly depth: number;
  /** A path that begins with that of the branch. */
  readonly sample: AbsolutePath;
  /** Whether it is a folder of the library or in one, so that it may replace the paths below it. */
  isInLibrary: boolean;
  /** The spelling in which this path was given, if it was. */
  given: string | undefined;
  readonly children: Map<string, Branch>;
}

/**
 * Returns the fewest paths that cover all given ones: each once, and none inside another. A folder replaces more than 50 paths
 * in it. If more than 200 paths remain, the library folders that contain them replace them.
 * @param given absolute paths inside the library; others are ignored.
 */
export function fewestPaths(
  given: Iterable<string>,
  libraryFolders: readonly string[],
): {
  paths: string[];
  /** Whether each is a folder that replaces paths in it. */
  areFolders: boolean;
} {
  const tree = new Tree(libraryFolders);
  for (const text of given) tree.add(text);
  const chosen = tree.fold();
  return {
    paths: chosen.map(({ given: text, sample, depth }) => text ?? sample.first(depth).toString()),
    areFolders: chosen.every(({ given: text }) => text === undefined),
  };
}

class Tree {
  readonly #roots = new Map<string, Branch>();

  constructor(libraryFolders: readonly string[]) {
    const folders = libraryFolders.flatMap((text) => AbsolutePath.parse(text) ?? []);
    // A folder comes before those below it, because a branch takes from its parent whether it is in the library.
    folders.sort((one, other) => one.names.length - other.names.length);
    for (const folder of folders) this.#branchOf(folder).isInLibrary = true;
  }

  /** Adds a path, unless it is below another one, and discards the paths below it. */
  add(text: string): void {
    const path = AbsolutePath.parse(text);
    if (!path) return;
    const branch = this.#branchOf(path);
    // For a path below a given one, `#branchOf` returns the given one.
    if (!branch.isInLibrary || branch.given !== undefined) return;
    branch.given = text;
    branch.children.clear();
  }

  fold(): Branch[] {
    const chosen: Branch[] = [];
    for (const root of this.#roots.values()) foldFolders(root, chosen);
    return chosen.length > MOST_PATHS ? [...new Set(chosen.map(libraryFolderOf))] : chosen;
  }

  /** Or the first one above it that was given. */
  #branchOf(path: AbsolutePath): Branch {
    let branch = childOf(this.#roots, path.root, path, undefined);
    for (const key of path.keys) {
      if (branch.given !== undefined) return branch;
      branch = childOf(branch.children, key, path, branch);
    }
    return branch;
  }
}

function childOf(
  children: Map<string, Branch>,
  key: string,
  sample: AbsolutePath,
  parent: Branch | undefined,
): Branch {
  const existing = children.get(key);
  if (existing) return existing;
  const depth = parent ? parent.depth + 1 : 0;
  const isInLibrary = parent?.isInLibrary ?? false;
  const branch = { parent, depth, sample, isInLibrary, given: undefined, children: new Map() };
  children.set(key, branch);
  return branch;
}

/** Adds the given paths in a branch to `chosen`, or the folder of too many of them. */
function foldFolders(branch: Branch, chosen: Branch[]): void {
  let given = 0;
  for (const child of branch.children.values()) if (child.given !== undefined) given += 1;
  if (branch.given !== undefined || (branch.isInLibrary && given > MOST_OF_FOLDER)) chosen.push(branch);
  else for (const child of branch.children.values()) foldFolders(child, chosen);
}

/** Returns the outermost library folder that contains a branch. */
function libraryFolderOf(branch: Branch): Branch {
  let folder = branch;
  while (folder.parent?.isInLibrary) folder = folder.parent;
  return folder;
}
