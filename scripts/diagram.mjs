// `npm run diagram`: draws the rooms of src/ in docs/architecture.md from the imports that dependency-cruiser finds. With
// `--check`, which the tests use, writes nothing and fails if the diagram is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import rules from '../.dependency-cruiser.mjs';
import { root } from './install.mjs';

const file = path.join(root, 'docs', 'architecture.md');
const [BEGIN, END] = ['<!-- rooms -->', '<!-- /rooms -->'];

const imports = await importsOfRooms();
const text = readFileSync(file, 'utf8');
const [before, rest = ''] = text.split(BEGIN);
const [, after] = rest.split(END);
if (after === undefined) throw new Error(`${file} has no place for the diagram`);
const drawn = `${before}${BEGIN}\n\n${mermaid(imports)}\n\n${END}${after}`;
if (!process.argv.includes('--check')) writeFileSync(file, drawn);
else if (drawn !== text) {
  console.error('docs/architecture.md does not show what the imports say: npm run diagram');
  process.exitCode = 1;
}

/** Each room with the rooms that its files import, without the ground floor and the contract, which all may import. */
async function importsOfRooms() {
  const { output } = await cruise(['nodes', 'src'], { ...rules.options, baseDir: root });
  const rooms = new Map();
  for (const { source, dependencies } of output.modules) {
    const from = roomOf(source);
    if (from === undefined) continue;
    const below = rooms.get(from) ?? new Set();
    rooms.set(from, below);
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved);
      if (to !== undefined && to !== from) below.add(to);
    }
  }
  return rooms;
}

/** Words are not a room: `flow` imports the shared ones as types. */
function roomOf(source) {
  return /^(?:src\/(?!contract\/)([^/]+)\/|(nodes)\/(?![^/]+\/words\/))/.exec(source)?.slice(1).find(Boolean);
}

function mermaid(rooms) {
  const arrows = [...rooms]
    .flatMap(([from, below]) => [...below].map((to) => [from, to]))
    .filter(([from, to]) => !isImplied(rooms, from, to))
    .map(([from, to]) => `  ${from} --> ${to}`);
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

/** Whether other arrows imply this one, which is then omitted. */
function isImplied(rooms, from, to) {
  return [...rooms.get(from)].some((between) => between !== to && leadsTo(rooms, between, to));
}

function leadsTo(rooms, from, to) {
  return from === to || [...(rooms.get(from) ?? [])].some((next) => leadsTo(rooms, next, to));
}
