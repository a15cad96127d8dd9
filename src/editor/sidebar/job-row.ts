import type { JobView } from '../../contract/activity';
import { roughDuration } from '../../contract/units';
import { words } from '../words';
import { icon, mayAct, NodeLink, setText, showText } from './elements';
import type { Row } from '../keyed-list';

/** How long a job that ends may still be in the list, in milliseconds. */
const ENDING = 5_000;

let count = 0;

/** One job: its progress, who started it, and a button that stops it. */
export class JobRow implements Row<JobView> {
  readonly element: HTMLElement;
  readonly #now: () => number;
  readonly #stopJob: (job: JobView) => Promise<boolean>;
  readonly #title: JQuery;
  readonly #state = $('<span>', { class: 'stash-job-state' });
  readonly #stop: JQuery;
  readonly #bar: JQuery;
  readonly #task = $('<div>', { class: 'stash-job-task' });
  readonly #left = $('<span>');
  readonly #by: JQuery;
  readonly #node = new NodeLink();
  #job: JobView | undefined;
  /** Whether the button was pressed, and what came of it is not shown yet. */
  #isPressed = false;

  /**
   * @param now returns the time by the clock of the runtime.
   * @param stopJob stops a job, and returns whether it ends, or has ended.
   */
  constructor(now: () => number, stopJob: (job: JobView) => Promise<boolean>) {
    this.#now = now;
    this.#stopJob = stopJob;
    const id = `stash-job-${++count}`;
    this.#title = $('<span>', { class: 'stash-job-title', id });
    this.#stop = $('<button>', { type: 'button', class: 'red-ui-button red-ui-button-small stash-job-stop' })
      .append(icon('stop'))
      .on('click', () => {
        void this.#press();
      });
    this.#bar = $('<progress>', { max: 100, 'aria-labelledby': id });
    const head = $('<div>', { class: 'stash-job-head' }).append(this.#title, this.#state);
    if (mayAct()) head.append(this.#stop);
    const startedBy = $('<span>').text(words('server:sidebar.jobs.startedBy'));
    this.#by = $('<span>', { class: 'stash-job-by' }).append(startedBy, ' ', this.#node.element);
    const facts = $('<div>', { class: 'stash-job-facts' }).append(this.#left, this.#by);
    const row = $('<li>', { class: 'stash-job' }).append(head, this.#bar, this.#task, facts);
    this.element = row.get(0) as HTMLElement;
  }

  show(job: JobView): void {
    this.#job = job;
    const { title, status, percent, task, stalled } = job;
    const isWaiting = status === 'READY';
    const isStopping = this.#isPressed || status === 'STOPPING';
    setText(this.#title, title);
    setText(this.#state, isStopping ? words('server:progress.stopping') : stateOf(job));
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
    this.#by.prop('hidden', job.node === null);
    if (job.node !== null) this.#node.show(job.node);
  }

  /** Stops the job, once: a second attempt would say that it had ended before. */
  async #press(): Promise<void> {
    const job = this.#job;
    if (!job || this.#isPressed || job.status === 'STOPPING') return;
    this.#pressed(true);
    const ends = await this.#stopJob(job);
    setTimeout(
      () => {
        this.#pressed(false);
      },
      ends ? ENDING : 0,
    );
  }

  #pressed(isPressed: boolean): void {
    this.#isPressed = isPressed;
    if (this.#job) this.show(this.#job);
  }

  #leftOf({ endsAt, status }: JobView): string {
    if (endsAt === null || status !== 'RUNNING') return '';
    const left = endsAt - this.#now();
    return left > 0 ? words('server:sidebar.jobs.left', { time: roughDuration(Math.ceil(left / 1000)) }) : '';
  }
}

function stateOf({ status, percent, stalled }: JobView): string {
  if (status === 'READY') return words('server:sidebar.jobs.waits');
  if (stalled) return words('server:progress.stalled');
  return percent === null ? words('server:progress.running') : words('server:progress.percent', { percent });
}
