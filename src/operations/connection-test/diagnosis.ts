import type { Call } from '../../call';
import type { CheckLine } from '../../contract/connection-test';
import { StashError } from '../../errors';
import {
  Address,
  firstHop,
  readCredentials,
  Server,
  type ServerOptions,
  type TestedServer,
} from '../../server';
import { timing } from '../../timing';
import { CheckList, type ReportLine } from './check-list';
import { checkName, checkPort, checkSignIn, checkStash, checkTls } from './connection-checks';
import { answering, surroundings } from './find-stash';
import { otherAddresses } from './other-addresses';
import {
  checkFolders,
  checkGraphQL,
  checkPlugin,
  checkRelease,
  checkScrapers,
  checkServerState,
  checkSocket,
} from './server-checks';

const MOST_OFFERED = 3;

/**
 * Checks the connection to a server, from its name to its scrapers. A check that fails ends those that depend on it.
 * @param report receives each line as soon as it is known.
 * @throws {StashError} NO_SERVER for options with which no request can succeed. Then it has reported nothing.
 */
export async function diagnose(
  subject: TestedServer,
  report: ReportLine,
  stopped: AbortSignal,
): Promise<void> {
  const { pathMap, shownAs, ...options } = subject;
  const server = serverOrError(options);
  const address = new Address(options.url);
  const list = new CheckList(shownAs === undefined ? report : concealed(report, address, shownAs));
  const limit = new AbortController();
  const seconds = timing.diagnosis.all / 1000;
  const timer = setTimeout(() => {
    limit.abort(new StashError('TIMEOUT.test', { details: { seconds } }));
  }, timing.diagnosis.all);
  const signal = AbortSignal.any([stopped, limit.signal]);
  try {
    await checkAll(list, server, { ...options, pathMap, address }, signal);
    if (shownAs === undefined && !limit.signal.aborted)
      await suggestAddresses(list, address, options, { stopped, late: limit.signal });
  } finally {
    clearTimeout(timer);
    if (server instanceof Server) await server.close();
  }
}

/** Returns the server, or the error of unusable credentials: what comes before them can be checked. */
function serverOrError(options: ServerOptions): Server | StashError {
  try {
    return new Server(options);
  } catch (error) {
    if (error instanceof StashError && error.code === 'UNAUTHORIZED') return error;
    throw error;
  }
}

/** Runs the checks, each as soon as those that it depends on have succeeded. */
async function checkAll(
  list: CheckList,
  server: Server | StashError,
  { address, auth, headers: given, pathMap, ...network }: TestedServer & { address: Address },
  signal: AbortSignal,
): Promise<void> {
  const hop = firstHop(address, network);
  const { headers } = readCredentials({ auth: 'none', headers: given });
  const name = await list.run('name', () => checkName(hop, address, signal));
  if (!name || !(await list.run('port', () => checkPort(hop, name.ips, address, signal)))) return;
  if (!(await list.run('tls', () => checkTls(address, network, signal)))) return;
  const stash = await list.run('stash', () => checkStash(address, network, headers, signal));
  if (!stash || !(await list.run('signIn', () => checkSignIn(server, auth, stash.identity, signal)))) return;
  if (server instanceof StashError) return;
  const call: Call = { signal, waiting: signal };
  const graphql = await list.run('graphql', () => checkGraphQL(server, call));
  if (!graphql) return;
  const { facts } = graphql;
  await list.run('release', () => Promise.resolve(checkRelease(facts)));
  const checkLibrary = async () => {
    if (!(await list.run('state', () => checkServerState(server, call)))) return;
    await Promise.all([
      list.run('folders', () => checkFolders(server, pathMap, call)),
      list.run('scrapers', () => checkScrapers(server, call)),
      list.run('plugin', () => checkPlugin(server, facts, call)),
    ]);
  };
  await Promise.all([checkLibrary(), list.run('socket', () => checkSocket(server, facts, call))]);
}

/** Offers the addresses at which Stash answers, if it does not at the typed one. */
async function suggestAddresses(
  list: CheckList,
  address: Address,
  network: ServerOptions,
  { stopped, late }: { stopped: AbortSignal; late: AbortSignal },
): Promise<void> {
  const { failure } = list;
  if (!failure) return;
  // Another program may require a sign-in as well.
  const { case: found, details } = failure.error;
  const which = list.textOf('stash') === 'perhapsStash' ? 'NOT_STASH.page' : found;
  const { port } = surroundings;
  const around = { hosts: await surroundings.hosts(), port };
  const urls = otherAddresses(address, which, around, String(details['to'] ?? ''));
  const answered = await answering(urls, network, stopped, late);
  await list.amend(
    failure.check,
    answered.slice(0, MOST_OFFERED).map(({ url }) => ({ kind: 'address', url })),
  );
}

/** Returns `report` with the address, and what it leads to, replaced by what is shown for it. */
function concealed(
  report: ReportLine,
  { base, host, hostname, endpoint }: Address,
  shownAs: string,
): ReportLine {
  const own = [base, host, hostname, endpoint];
  const shown = (name: string, value: string | number) => {
    if (name === 'addresses' || name === 'to') return '•••';
    return own.includes(String(value)) ? shownAs : value;
  };
  return (line: CheckLine) => {
    if (line.state === 'running') return report(line);
    const details = Object.entries(line.details).map(([name, value]) => [name, shown(name, value)]);
    return report({ ...line, details: Object.fromEntries(details) as typeof line.details });
  };
}
