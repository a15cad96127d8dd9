// Builds dist/: TypeScript by plain tsc, and what Node-RED looks for beside each node's JavaScript.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc'], { stdio: 'inherit' });
cpSync('nodes', 'dist/nodes', { recursive: true, filter: (path) => !path.endsWith('.ts') });
cpSync('icons', 'dist/nodes/icons', { recursive: true });
