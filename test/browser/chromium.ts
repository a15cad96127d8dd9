import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { installed } from '../support/root';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe'];

/** Where browsers are installed outside of PATH. */
const PLACES = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** No sandbox, because root has none in a container. No requests to the internet by the browser itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The package with the browser, and the folder for the unpacked browser. `npm ci` removes that folder with the
 * package.
 */
const MODULES = path.join(installed, 'chromium', 'node_modules');
const BIN = path.join(MODULES, '@sparticuz', 'chromium', 'bin');
const UNPACKED = path.join(MODULES, '.cache', 'browser');

/**
 * The fonts of the package, plus another one for missing characters such as arrows. Relative paths work in any
 * checkout; no other font is used.
 */
const FONTS =
  '<fontconfig><dir prefix="relative">fonts</dir>' +
  '<dir prefix="relative">../../dejavu-fonts-ttf/ttf</dir></fontconfig>';

/** Starts an installed browser, or else the one of the package, with a fresh profile. */
export async function launchChromium(): Promise<Browser> {
  if (installedChromium(process.env) !== undefined || !existsSync(BIN)) {
    return await chromium.launch({ executablePath: chromiumPath(process.env), args: FLAGS });
  }
  unpack();
  // A bare machine has neither the libraries nor the fonts.
  const env = { ...process.env, LD_LIBRARY_PATH: path.join(UNPACKED, 'lib'), FONTCONFIG_PATH: UNPACKED };
  return await chromium.launch({ executablePath: path.join(UNPACKED, 'chromium'), args: FLAGS, env });
}

/**
 * Returns the program to run.
 * @throws {Error} if there is none, with a hint how to get one: nobody would notice skipped tests.
 */
export function chromiumPath(environment: NodeJS.ProcessEnv, places = PLACES): string {
  const found = installedChromium(environment, places);
  if (found !== undefined) return found;
  const { CHROMIUM_PATH: chosen } = environment;
  throw new Error(
    'The browser tests need Chromium or Chrome, and ' +
      (chosen ? `CHROMIUM_PATH names no program ("${chosen}"). ` : 'none was found. ') +
      'Install one, or set CHROMIUM_PATH to its program. On Linux with an x64 processor "npm run check" brings its own.',
  );
}

/** Returns the program that CHROMIUM_PATH names, or else an installed one. */
export function installedChromium(environment: NodeJS.ProcessEnv, places = PLACES): string | undefined {
  const { CHROMIUM_PATH: chosen, PATH = '' } = environment;
  const folders = PATH.split(path.delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return (chosen ? [chosen] : [...candidates, ...places]).find(isProgram);
}

/**
 * Unpacks the browser of the package. The package's own code would use the system's folder for temporary files, which
 * all checkouts and users share, and would not unpack the libraries.
 */
function unpack(): void {
  if (existsSync(UNPACKED)) return;
  const folder = path.dirname(UNPACKED);
  mkdirSync(folder, { recursive: true });
  // Unpacks under a temporary name, because the tests of another runtime may unpack at the same time.
  const partial = mkdtempSync(path.join(folder, 'browser-'));
  try {
    for (const archive of ['al2023', 'fonts', 'swiftshader']) {
      const input = inflated(`${archive}.tar.br`);
      const { status, stderr } = spawnSync('tar', ['-x'], { cwd: partial, input, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${archive} cannot be unpacked: ${stderr}`);
    }
    writeFileSync(path.join(partial, 'fonts.conf'), FONTS);
    writeFileSync(path.join(partial, 'chromium'), inflated('chromium.br'), { mode: 0o755 });
    renameSync(partial, UNPACKED);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(UNPACKED)) throw error;
  }
}

function inflated(file: string): Buffer {
  return brotliDecompressSync(readFileSync(path.join(BIN, file)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
