import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe'];

/** Where browsers are that are on no path. */
const PLACES = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Without a sandbox, as root has none in a container; and nothing that asks the internet by itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser that this machine has, with a fresh profile; none is ever downloaded. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(process.env), args: FLAGS });
}

/**
 * The program to run. Where there is none the tests fail and say how to get it: skipped, they would be missed by
 * nobody.
 */
export function chromiumPath(environment: NodeJS.ProcessEnv, places = PLACES): string {
  const { CHROMIUM_PATH: chosen, PATH = '' } = environment;
  const folders = PATH.split(path.delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  const found = (chosen ? [chosen] : [...candidates, ...places]).find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    'The browser tests need Chromium or Chrome, and ' +
      (chosen ? `CHROMIUM_PATH names no program ("${chosen}"). ` : 'none was found. ') +
      'Install it (Debian, Ubuntu: apt install chromium), or set CHROMIUM_PATH to its program.',
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
