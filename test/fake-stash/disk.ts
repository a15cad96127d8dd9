/** The disk of the server, of which a test can remove parts. */
export class Disk {
  readonly #folders = new Set<string>(['/']);
  /** What has gone: a path with all in it, or with a slash at its end only what is in it. */
  readonly #gone = new Set<string>();
  /** The folders to which links lead. */
  readonly #links = new Map<string, string>();

  /** Adds a folder and those that it is in. */
  addFolder(path: string): void {
    for (let folder = path; folder.includes('/') && !this.#folders.has(folder); folder = folderOf(folder)) {
      this.#folders.add(folder);
    }
  }

  /** Makes a path a link to a folder. */
  link(path: string, folder: string): void {
    this.#links.set(path, folder);
  }

  /** Removes a file, or a folder with all in it. */
  vanish(path: string): void {
    this.#gone.add(path);
  }

  /** Removes all in a folder, but not the folder, like an unmounted drive. */
  empty(path: string): void {
    this.#gone.add(`${path}/`);
  }

  /** Brings back what was removed at this path or below it. */
  reappear(path: string): void {
    for (const gone of this.#gone) {
      if (isBelow(gone, path)) this.#gone.delete(gone);
    }
  }

  /** Returns whether nothing that contains this path, or that a link in it leads to, was removed. */
  has(path: string): boolean {
    for (const [link, folder] of this.#links) {
      if (isBelow(path, link) && !this.has(folder + path.slice(link.length))) return false;
    }
    return ![...this.#gone].some(
      (gone) => path.startsWith(gone.endsWith('/') ? gone : `${gone}/`) || path === gone,
    );
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path) && this.has(path);
  }

  /** Returns the paths of the folders in a folder, in the order of their names. */
  foldersIn(path: string): string[] {
    return [...this.#folders]
      .filter((folder) => folder !== '/' && folderOf(folder) === path && this.has(folder))
      .sort((one, other) => NAMES.compare(one, other));
  }
}

const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the folder that a path is in; that of "/" is "/". */
export function folderOf(path: string): string {
  return path.replace(/\/[^/]*$/, '') || '/';
}

/** Returns whether a path is this folder or in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
