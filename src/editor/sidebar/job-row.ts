import { words } from '../words';
import type { JobView } from './activity';
import { mayAsk } from './ask';
import { icon, setText, showText } from './elements';
import type { Row } from './keyed-list';
import { NodeLink } from './node-link';
import { roughly } from './times';

/** What a row of a job needs from its server. */
interface JobRowOptions {
  /** Returns the time by the clock of the runtime. */
  now: () => number;
  stop: (job: JobView) => void;
}

let count = 0;

/** One job: its progress, who started it, and a button that stops it. */
export class JobRow implements Row<JobView> {
  readonly element: HTMLElement;
  readonly #options: JobRowOptions;
  readonly #title: JQuery;
  readonly #state = $('<span>', { class: 'stash-job-state' });
  readonly #stop: JQuery;
  readonly #bar: JQuery;
  readonly #task = $('<div>', { class: 'stash-job-task' });
  readonly #left = $('<span>');
  readonly #startedBy = $('<span>');
  readonly #node = new NodeLink();
  #job: JobView | undefined;

  constructor(options: JobRowOptions) {
    this.#options = options;
    const id = `stash-job-${++count}`;
    this.#title = $('<span>', { class: 'stash-job-title', id });
    this.#stop = $('<button>', { type: 'button', class: 'red-ui-button red-ui-button-small stash-job-stop' })
      .append(icon('stop'))
      .on('click', () => {
        if (this.#job && this.#job.status !== 'STOPPING') options.stop(this.#job);
      });
    this.#bar = $('<progress>', { max: 100, 'aria-labelledby': id });
    const head = $('<div>', { class: 'stash-job-head' }).append(this.#title, this.#state);
    if (mayAsk()) head.append(this.#stop);
    const by = $('<span>', { class: 'stash-job-by' }).append(this.#startedBy, ' ', this.#node.element);
    const facts = $('<div>', { class: 'stash-job-facts' }).append(this.#left, by);
    const row = $('<li>', { class: 'stash-job' }).append(head, this.#bar, this.#task, facts);
    this.element = row.get(0) as HTMLElement;
  }

  show(job: JobView): void {
    this.#job = job;
    const { title, status, percent, task, stalled } = job;
    const isWaiting = status === 'READY';
    const isStopping = status === 'STOPPING';
    setText(this.#title, title);
    setText(this.#state, stateOf(job));
    this.#state.toggleClass('stash-warning', stalled && !isStopping);
    // It stays where it is, because it may have the focus.
    this.#stop.attr({
      'aria-label': words('server:sidebar.jobs.stop', { job: title }),
      title: words('server:sidebar.jobs.stop', { job: title }),
      'aria-disabled': String(isStopping),
    });
    this.#bar.prop('hidden', isWaiting);
    if (percent === null) this.#bar.removeAttr('value');
    else this.#bar.val(percent);
    showText(this.#task, task ?? '');
    this.#task.attr('title', task ?? '');
    showText(this.#left, this.#leftOf(job));
    this.#showNode(job.node);
  }

  #showNode(node: string | null | undefined): void {
    const isOurs = typeof node === 'string';
    const startedBy = isOurs
      ? words('server:sidebar.jobs.startedBy')
      : words('server:sidebar.jobs.elsewhere');
    setText(this.#startedBy, node === undefined ? '' : startedBy);
    this.#node.element.prop('hidden', !isOurs);
    if (isOurs) this.#node.show(node);
  }

  #leftOf({ endsAt, status }: JobView): string {
    if (endsAt === null || status !== 'RUNNING') return '';
    const left = endsAt - this.#options.now();
    return left > 0 ? words('server:sidebar.jobs.left', { time: roughly(left) }) : '';
  }
}

function stateOf({ status, percent, stalled }: JobView): string {
  if (status === 'READY') return words('server:sidebar.jobs.waits');
  if (status === 'STOPPING') return words('server:progress.stopping');
  if (stalled) return words('server:progress.stalled');
  return percent === null ? words('server:progress.running') : words('server:progress.percent', { percent });
}
