import type { JobView, RecentErrorView, ServerView, SiteView, WatchedView } from '../../contract/activity';
import { request } from '../request';
import { type Key, sentenceOf, words } from '../words';
import { clock, icon, mayAct, setText, showText } from './elements';
import { ErrorRow } from './error-row';
import { JobRow } from './job-row';
import { KeyedList, type Row } from '../keyed-list';
import { SiteRow } from './site-row';
import { WatchedRow } from './watched-row';

/** How long the result of a button is shown, in milliseconds. */
const RESULT_SHOWN = 10_000;

let count = 0;

/** A part of the section, with its headline, its rows, and a text if there are none. */
interface Part<Item> {
  element: JQuery;
  headline: JQuery;
  note: JQuery;
  rows: KeyedList<Item>;
}

/** One server: its state, what is being watched, its jobs, who waits for an external site, and the recent errors of its nodes. */
export class ServerSection {
  readonly element: HTMLElement;
  readonly #id: string;
  readonly #name: JQuery;
  readonly #link: JQuery;
  readonly #reach = $('<div>', { class: 'stash-reach' });
  readonly #reason = $('<div>', { class: 'stash-problem' });
  /** What came of the last button that was pressed. */
  readonly #result = $('<div>', { class: 'stash-result', role: 'status' });
  #resultUntil = 0;
  readonly #watched: Part<WatchedView>;
  readonly #paused = $('<span>');
  readonly #pause: JQuery;
  readonly #jobs: Part<JobView>;
  readonly #sites: Part<SiteView>;
  readonly #errors: Part<RecentErrorView>;
  readonly #clear: JQuery;
  /** The difference between the clock of this computer and that of the runtime, in milliseconds. */
  #skew = 0;
  #view: ServerView | undefined;

  constructor(id: string) {
    this.#id = id;
    const headline = `stash-server-${++count}`;
    this.#name = $('<h3>', { id: headline, tabindex: -1 });
    this.#link = $('<a>', { class: 'stash-open', target: '_blank', rel: 'noopener noreferrer' }).append(
      icon('external-link'),
    );
    const now = () => Date.now() - this.#skew;
    const toHere = (at: number) => at + this.#skew;
    const stop = (job: JobView) => this.#stop(job);
    this.#watched = part('server:sidebar.watched', (scene) => scene.id, {
      create: (_fallback, scene) => new WatchedRow(id, scene, (film) => this.#command(film)),
    });
    this.#jobs = part('server:sidebar.jobs.title', ({ id, added }) => [id, added].join(' '), {
      create: () => new JobRow(now, stop),
    });
    const resume = $('<button>', { type: 'button', class: 'red-ui-button red-ui-button-small' })
      .text(words('server:sidebar.pause.end'))
      .on('click', () => {
        void this.#resume();
      });
    this.#pause = $('<div>', { class: 'stash-pause' }).append(this.#paused, ...(mayAct() ? [resume] : []));
    this.#sites = part('server:sidebar.sites.title', ({ source }) => source, {
      create: (fallback) => new SiteRow({ now, toHere, fallback }),
    });
    this.#errors = part(
      'server:sidebar.errors.title',
      ({ node, error }) => `${node} ${JSON.stringify(error)}`,
      {
        create: () => new ErrorRow(toHere),
      },
    );
    this.#clear = $('<button>', { type: 'button', class: 'red-ui-button red-ui-button-small' })
      .text(words('server:sidebar.errors.clear'))
      .on('click', () => {
        void this.#clearErrors();
      });
    if (mayAct()) this.#errors.headline.after(this.#clear);
    const head = $('<div>', { class: 'stash-server-head' }).append(this.#name, this.#link);
    const section = $('<section>', { class: 'stash-server', 'aria-labelledby': headline }).append(
      ...[head, this.#reach, this.#reason, this.#result, this.#pause],
      ...[this.#watched.element, this.#jobs.element, this.#sites.element, this.#errors.element],
    );
    this.element = section.get(0) as HTMLElement;
  }

  /** Takes a new state. @param now the time in it, by the clock of the runtime. */
  take(view: ServerView, now: number): void {
    this.#view = view;
    this.#skew = Date.now() - now;
  }

  /** Shows the state as it is now: some times count down. */
  draw(): void {
    const view = this.#view;
    const node = RED.nodes.node(this.#id);
    const label = node ? RED.utils.getNodeLabel(node, this.#id) : this.#id;
    setText(this.#name, view?.name || label);
    if (performance.now() > this.#resultUntil) setText(this.#result, '');
    if (view) this.#show(view);
    else setText(this.#reach, words('server:sidebar.reach.unknown'));
  }

  #show(view: ServerView): void {
    const { url, watched, jobs, pause, sites, errors } = view;
    this.#link.prop('hidden', url === '').attr({
      href: url,
      title: url,
      'aria-label': words('server:link.stash'),
    });
    this.#showReach(view);
    this.#watched.element.prop('hidden', watched.length === 0);
    this.#watched.rows.show(watched);
    this.#pause.prop('hidden', pause === null);
    setText(this.#paused, pause ? this.#textOfPause(pause) : '');
    this.#jobs.rows.show(jobs ?? []);
    showText(this.#jobs.note, noteOfJobs(view));
    this.#sites.rows.show(sites);
    showText(this.#sites.note, sites.length === 0 ? words('server:sidebar.sites.none') : '');
    this.#errors.rows.show(errors);
    showText(this.#errors.note, errors.length === 0 ? words('server:sidebar.errors.none') : '');
    this.#clear.prop('hidden', errors.length === 0);
    this.#order(errors.length > 0);
  }

  /** Puts the errors above the look-ups while there are any. It moves the part that does not have the focus. */
  #order(areErrors: boolean): void {
    const [errors, sites] = [this.#errors.element, this.#sites.element];
    if (areErrors === errors.next().is(sites)) return;
    if (areErrors) sites.before(errors);
    else errors.before(sites);
  }

  #showReach({ reach, jobsError }: ServerView): void {
    const reason = 'reason' in reach ? reach.reason : jobsError;
    // A server may respond, but not with its jobs.
    const isGood = reach.state === 'reachable' && !reason;
    this.#reach.attr('data-state', isGood ? 'good' : reason ? 'bad' : 'unknown');
    setText(this.#reach, this.#textOf(reach, reason !== null));
    showText(this.#reason, reason ? sentenceOf(reason) : '');
  }

  #textOf(reach: ServerView['reach'], isBad: boolean): string {
    if (reach.state === 'reachable') return words('server:reachable', { release: reach.release });
    if (reach.state === 'unreachable') {
      return words('server:sidebar.reach.unreachable', { time: clock(reach.since + this.#skew) });
    }
    return isBad ? words('server:sidebar.reach.unusable') : words('server:sidebar.reach.unknown');
  }

  #textOfPause({ since, interrupted, waiting }: NonNullable<ServerView['pause']>): string {
    return [
      words('server:sidebar.pause.since', { time: clock(since + this.#skew) }),
      ...(interrupted > 0 ? [words('server:sidebar.pause.interrupted', { count: interrupted })] : []),
      ...(waiting > 0 ? [words('server:sidebar.pause.waiting', { count: waiting })] : []),
    ].join(' ');
  }

  async #resume(): Promise<void> {
    // The button disappears with the pause.
    this.#name.trigger('focus');
    await this.#request('resume', {});
  }

  /** Stops a job, and shows what came of it. @returns whether the job ends, or has ended. */
  async #stop({ id, added, title }: JobView): Promise<boolean> {
    this.#announce('');
    const job = { id, added };
    const answer = await this.#request<{ stopped: boolean }>('stop', { job });
    if (!answer) return false;
    const key = answer.stopped ? 'server:sidebar.jobs.stopped' : 'server:sidebar.jobs.over';
    this.#announce(words(key, { job: title }));
    return true;
  }

  /** Pauses a film in a page of Stash, or lets it go on. Says so only if the page does not obey: the row shows what has come of it. */
  async #command({ player, isPaused }: WatchedView): Promise<void> {
    this.#announce('');
    const answer = await this.#request<{ hasObeyed: boolean }>('player', { player: player?.id, isPaused });
    if (answer?.hasObeyed === false) this.#announce(words('server:sidebar.film.notObeyed'));
  }

  async #clearErrors(): Promise<void> {
    // The button disappears with the errors.
    this.#errors.headline.trigger('focus');
    await this.#request('clear-errors', {});
  }

  /** Makes the runtime do something with the server. @returns undefined if it did not: then the reason is shown. */
  async #request<Answer extends object>(name: string, what: object): Promise<Answer | undefined> {
    const answer = await request<Answer>(name, { id: this.#id, ...what });
    if (answer && !('case' in answer)) return answer;
    this.#announce(answer ? sentenceOf(answer) : words('server:failed'));
    return undefined;
  }

  #announce(result: string): void {
    this.#resultUntil = performance.now() + RESULT_SHOWN;
    setText(this.#result, result);
  }
}

function noteOfJobs({ jobs, moreJobs }: ServerView): string {
  if (!jobs) return words('server:sidebar.jobs.unknown');
  if (jobs.length === 0) return words('server:sidebar.jobs.none');
  return moreJobs > 0 ? words('server:sidebar.jobs.more', { count: moreJobs }) : '';
}

function part<Item>(
  title: Key,
  keyOf: (item: Item) => string,
  { create }: { create: (fallback: HTMLElement, item: Item) => Row<Item> },
): Part<Item> {
  const headline = $('<h4>', { tabindex: -1 }).text(words(title));
  const note = $('<div>', { class: 'stash-hint' });
  const list = $('<ul>', { class: 'stash-rows' });
  const fallback = headline.get(0) as HTMLElement;
  const rows = new KeyedList(list.get(0) as HTMLElement, {
    keyOf,
    create: (item) => create(fallback, item),
    fallback,
  });
  const head = $('<div>', { class: 'stash-part-head' }).append(headline);
  return { element: $('<div>', { class: 'stash-part' }).append(head, list, note), headline, note, rows };
}
