const PAGE = 4096;
const HEADER = 100;

/** The content of a database; defaults in brackets. */
export interface DatabaseOptions {
  /** The minimum size: whole pages, up to 1 GiB (8192). */
  bytes?: number;
  /** The names of the studios, with ids from 1 (none). */
  studios?: readonly string[];
  /** Whether SQLite needs a long time to check each studio (false). */
  isSlowToCheck?: boolean;
}

/**
 * Returns a whole SQLite database as https://www.sqlite.org/fileformat.html describes it. It passes every check of a
 * downloaded backup: its header, its length and an integrity check. It has one table of studios. Free pages, each
 * with other content, fill it up to its size.
 */
export function database({ bytes = 0, studios = [], isSlowToCheck = false }: DatabaseOptions = {}): Buffer {
  const table = tablePages(studios.map((name, index) => studio(index + 1, name)));
  const used = 1 + table.length;
  const count = Math.max(used, Math.ceil(bytes / PAGE));
  const content = Buffer.alloc(count * PAGE);
  content.write('SQLite format 3\0', 0, 'latin1');
  content.writeUInt16BE(PAGE, 16);
  content.set([1, 1, 0, 64, 32, 32], 18); // rollback journal, no reserved bytes, the fixed payload fractions
  content.writeUInt32BE(1, 24); // change counter, the same as at 92: the length at 28 is valid
  content.writeUInt32BE(count, 28); // length of the file in pages
  content.writeUInt32BE(count > used ? used + 1 : 0, 32); // the first page of the free list
  content.writeUInt32BE(count - used, 36);
  content.writeUInt32BE(1, 40); // schema cookie
  content.writeUInt32BE(4, 44); // schema format
  content.writeUInt32BE(1, 56); // UTF-8
  content.writeUInt32BE(1, 92);
  content.writeUInt32BE(3_045_000, 96); // the SQLite release that wrote it
  const column = isSlowToCheck ? ', x AS (length(hex(zeroblob(20000000 + id)))) NOT NULL' : '';
  const sql = `CREATE TABLE studios (id INTEGER PRIMARY KEY, name TEXT${column})`;
  writePage(content.subarray(0, PAGE), LEAF, [cell(1, ['table', 'studios', 'studios', 2, sql])], HEADER);
  content.set(Buffer.concat(table), PAGE);
  for (let page = used + 1; page <= count;) page = writeFreePages(content, page);
  return content;
}

/** Returns a database in which a page of the table states the wrong free space: only SQLite itself notices. */
export function damaged(whole: Buffer): Buffer {
  const content = Buffer.from(whole);
  content.writeUInt8(9, PAGE + 7);
  return content;
}

const LEAF = 13;
const INTERIOR = 5;

interface Row {
  id: number;
  cell: Buffer;
}

function studio(id: number, name: string): Row {
  return { id, cell: cell(id, [null, name]) }; // null: the id is not in the record
}

// Returns the pages of the table's tree from page 2 on, its root first.
function tablePages(rows: readonly Row[]): Buffer[] {
  const leaves = filled(rows);
  const [leaf = [], ...more] = leaves;
  if (more.length === 0) return [page(LEAF, leaf)];
  const children = leaves.map((held, index): Row => {
    const id = held.at(-1)?.id ?? 0;
    const child = Buffer.alloc(4);
    child.writeUInt32BE(3 + index);
    return { id, cell: Buffer.concat([child, varint(id)]) };
  });
  const [last] = children.splice(-1);
  if (filled(children).length > 1) throw new Error('too many rows for a tree of two levels');
  const root = page(INTERIOR, children);
  last?.cell.copy(root, 8, 0, 4); // the header of the page contains the rightmost child
  return [root, ...leaves.map((held) => page(LEAF, held))];
}

// Distributes rows to pages. Beside the rows, a page needs its header and two bytes for the position of each row.
function filled(rows: readonly Row[]): Row[][] {
  const pages: Row[][] = [[]];
  let room = PAGE - 12;
  for (const row of rows) {
    if (room < row.cell.length + 2) {
      pages.push([]);
      room = PAGE - 12;
    }
    pages.at(-1)?.push(row);
    room -= row.cell.length + 2;
  }
  return pages;
}

function page(type: number, rows: readonly Row[]): Buffer {
  const written = Buffer.alloc(PAGE);
  writePage(
    written,
    type,
    rows.map((row) => row.cell),
  );
  return written;
}

// Writes the cells from the end of the page backwards, in the order of their positions at its beginning.
function writePage(into: Buffer, type: number, cells: readonly Buffer[], start = 0): void {
  let end = PAGE;
  const places = start + (type === LEAF ? 8 : 12);
  cells.forEach((held, index) => {
    end -= held.length;
    into.set(held, end);
    into.writeUInt16BE(end, places + 2 * index);
  });
  into.writeUInt8(type, start);
  into.writeUInt16BE(cells.length, start + 3);
  into.writeUInt16BE(end, start + 5);
}

function cell(id: number, values: readonly (string | number | null)[]): Buffer {
  const bodies = values.map((value) =>
    typeof value === 'number' ? Buffer.of(value) : Buffer.from(value ?? ''),
  );
  const types = values.map((value, index) => {
    if (value === null) return 0;
    return typeof value === 'number' ? 1 : 13 + 2 * (bodies[index]?.length ?? 0);
  });
  const head = Buffer.concat(types.map(varint));
  const record = Buffer.concat([varint(head.length + 1), head, ...bodies]);
  return Buffer.concat([varint(record.length), varint(id), record]);
}

// Returns seven bits in each byte, the highest first; all bytes but the last have their eighth bit set.
function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return Buffer.from(bytes);
}

// Writes one page of the free list and the free pages that it names; returns the page after them.
function writeFreePages(content: Buffer, list: number): number {
  const count = content.length / PAGE;
  const named = Math.min(PAGE / 4 - 8, count - list);
  const next = list + named + 1;
  const start = (list - 1) * PAGE;
  content.writeUInt32BE(next <= count ? next : 0, start);
  content.writeUInt32BE(named, start + 4);
  for (let index = 1; index <= named; index++) {
    content.writeUInt32BE(list + index, start + 4 + 4 * index);
    const free = start + index * PAGE;
    content.fill(varint(list + index), free, free + PAGE);
  }
  return next;
}
