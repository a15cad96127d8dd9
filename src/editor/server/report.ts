import type { CheckLine } from '../../contract/connection-test';
import type { FailedLine } from '../../contract/refusal';
import { joinSentences } from '../../contract/sentences';
import { parseAddress } from '../../contract/server';
import { textIn } from '../../contract/values';
import { words } from '../words';
import type { ServerReference } from './reference';
import { withSubflow } from './subflow';

/** The language of issues. */
const ENGLISH = 'en-US';
/** Details in words that say nothing about a home. Others may be addresses, folders or names. */
const PUBLIC = ['release', 'since', 'version', 'newest', 'code'];
/** Errors whose `name` is one of Stash's schema. In others, it is that of an environment variable. */
const OF_SCHEMA = ['UNSUPPORTED.lacking', 'GRAPHQL.form'];
const HIDDEN = '…';

/** Stands in for what a line lacks. Without a check, it says why nothing was checked. */
export const NOTHING_CHECKED = {
  check: '',
  state: 'failed',
  text: undefined,
  case: undefined,
  remedies: [],
} as const;

/** What Node-RED says about itself and its machine, as far as a report has it. */
export interface SystemInfo {
  nodejs: { version: string };
  os: { type: string; release: string; arch: string; containerised: unknown };
  runtime: { version: string; modules: Readonly<Record<string, string>> };
}

/** Returns what a check found and what to do. @param lng another language than that of the editor. */
export function sentencesOf(line: CheckLine | FailedLine, lng?: typeof ENGLISH): string {
  const language = lng && { lng };
  if ('failed' in line) return words('server:sidebar.errors.bug', language);
  if (!('details' in line)) return '';
  const { text, case: which, details } = { ...NOTHING_CHECKED, ...line };
  const { days } = details;
  const values = { ...details, ...language, ...(typeof days === 'number' && { age: ageOf(days, lng) }) };
  const sentences = [
    ...(text === undefined ? [] : [words(`server:doctor.text.${text}`, values)]),
    ...(text === undefined && which !== undefined ? [words(`server:errors.${which}.text`, values)] : []),
    ...(which === undefined ? [] : [words(`server:errors.${which}.remedy`, values)]),
  ];
  const whole = joinSentences(...sentences);
  return which?.endsWith('.notSet') ? withSubflow(whole, language) : whole;
}

/** Returns an age in words, such as "3 months ago". */
function ageOf(days: number, lng = RED.i18n.lang()): string {
  const months = Math.floor(days / 30.44);
  const format = new Intl.RelativeTimeFormat(lng);
  if (months < 1) return format.format(-days, 'day');
  return months < 24 ? format.format(-months, 'month') : format.format(-Math.floor(months / 12), 'year');
}

/**
 * Returns what an issue needs, as Markdown in English: versions and what the checks found, without addresses, folders, names and
 * secrets.
 * @param system undefined if Node-RED does not tell.
 */
export function reportOf(
  lines: Iterable<CheckLine | FailedLine>,
  { content }: ServerReference,
  system: SystemInfo | undefined,
): string {
  const { url, auth } = (content ?? {}) as { url?: unknown; auth?: unknown };
  return [
    `Versions: ${system ? versionsOf(system) : 'unknown'}`,
    `Server: ${hiddenAddress(textIn(url))}, sign-in: ${textIn(auth)}`,
    ...[...lines].map(reportLine),
  ]
    .map((line) => `- ${line}`)
    .join('\n');
}

function versionsOf({ nodejs, os, runtime }: SystemInfo): string {
  const name = '@stash-flows/node-red-stash';
  const where = `${os.type} ${os.release} ${os.arch}${os.containerised ? ' (container)' : ''}`;
  return `${name} ${runtime.modules[name] ?? '?'}, Node-RED ${runtime.version}, Node.js ${nodejs.version}, ${where}`;
}

function hiddenAddress(text: string): string {
  const url = parseAddress(text);
  if (!url) return HIDDEN;
  const { protocol, port, pathname } = url;
  return `${protocol}//${HIDDEN}${port && `:${port}`}${pathname === '/' ? '' : `/${HIDDEN}`}`;
}

function reportLine(line: CheckLine | FailedLine): string {
  const { check, state, case: which } = { ...NOTHING_CHECKED, ...line };
  const title = check ? words(`server:doctor.check.${check}`, { lng: ENGLISH }) : 'Nothing checked';
  const how = [state, which].filter(Boolean).join(', ');
  return `${title} (${how}): ${sentencesOf(withoutPrivate(line), ENGLISH)}`;
}

function withoutPrivate<Line extends CheckLine | FailedLine>(line: Line): Line {
  if (!('details' in line)) return line;
  const shown = OF_SCHEMA.includes(line.case ?? '') ? [...PUBLIC, 'name'] : PUBLIC;
  const details = Object.entries(line.details).map(([name, value]) => [
    name,
    typeof value === 'number' || shown.includes(name) ? value : HIDDEN,
  ]);
  return { ...line, details: Object.fromEntries(details) as typeof line.details };
}
