// Judges what the soak has recorded: each message ended once, and each mutation ran at most once.
import { nodes } from './soak-flows.mjs';

const MUTATIONS = new Set(Object.values(nodes).flatMap(({ mutation = [] }) => mutation));

/** Counts over the whole soak, and what went wrong. */
export class Judge {
  /** How often each message's mutation reached a server, by number and operation; refused ones do not count. */
  #mutations = new Map();
  /** By the scenes of a generation, because its variables have no room for a number. */
  #scenes = new Map();
  #sent = { backups: 0, whole: 0 };
  #reached = { backups: 0, whole: 0 };
  /** How messages ended, by outcome; and the same for each node. */
  ends = {};
  endsOf = {};
  messages = 0;
  mutations = 0;
  wrong = [];

  /** Returns scenes from `some` that no other message is about. */
  scenesFor(server, number, some) {
    for (;;) {
      const scenes = some();
      const key = `${server} ${scenes.join()}`;
      if (this.#scenes.has(key)) continue;
      this.#scenes.set(key, number);
      return scenes;
    }
  }

  /** Judges the messages and mutations since the last time; all messages should have ended. */
  judge(messages, mutations) {
    for (const [server, some] of Object.entries(mutations)) for (const one of some) this.#count(server, one);
    for (const message of messages) {
      this.messages += 1;
      const { kind, isReset } = message;
      if (!isReset && kind === 'whole') this.#sent.whole += 1;
      if (!isReset && /^backup/.test(kind)) this.#sent.backups += 1;
      for (const what of this.#faultsOf(message)) this.wrong.push(`${message.to} ${message.number}: ${what}`);
      const end = this.#endOf(message);
      for (const ends of [this.ends, (this.endsOf[message.to] ??= {})]) ends[end] = (ends[end] ?? 0) + 1;
    }
    for (const what of ['whole', 'backups']) {
      if (this.#reached[what] <= this.#sent[what]) continue;
      this.wrong.push(`${what}: ${this.#reached[what]} mutations for ${this.#sent[what]} messages`);
    }
  }

  #count(server, { operation, isRefused, variables }) {
    if (isRefused) return;
    this.mutations += 1;
    if (operation === 'backupDatabase') this.#reached.backups += 1;
    if (!MUTATIONS.has(operation)) return;
    const numbers =
      operation === 'metadataGenerate'
        ? [this.#scenes.get(`${server} ${JSON.parse(variables).input?.sceneIDs?.join()}`)]
        : [...variables.matchAll(/soak-(\d+)-/g)].map(([, number]) => Number(number));
    if (operation === 'metadataScan' && numbers.length === 0) this.#reached.whole += 1;
    for (const number of new Set(numbers)) {
      const key = `${number} ${operation}`;
      const times = (this.#mutations.get(key) ?? 0) + 1;
      this.#mutations.set(key, times);
      if (times > 1) this.wrong.push(`${server} ${key}: reached the server ${times} times`);
    }
  }

  #endOf({ ends, outputs, wasReset, isReset, isLost }) {
    if (isLost) return 'lost by Node-RED in a deploy';
    const [end = 'never'] = ends;
    if (end !== 'done') return end;
    if (outputs.length > 0 || isReset) return 'done';
    return wasReset ? 'reset' : 'done';
  }

  *#faultsOf(message) {
    const { number, kind, received, ends, outputs, caught, isReset, wasReset, isAmidDeploy, isLost } =
      message;
    if (isLost) return;
    const { progress, isSequence, isPaced, mutation } = nodes[kind];
    if (received === 0) {
      yield 'was not delivered';
      return;
    }
    if (received > 1 && !isPaced) yield `arrived ${received} times`;
    if (ends.length !== received) {
      yield `ended ${ends.length} times (${ends.join(', ')}), of ${received}`;
      return;
    }
    const results = outputs.filter(({ output }) => output !== progress);
    const errors = ends.filter((end) => end !== 'done');
    const [error] = errors;
    if (errors.length > 1) yield `reported ${errors.length} errors`;
    if (error?.startsWith('unforeseen')) yield error;
    if (error === 'CLOSED') yield 'ended with CLOSED, although its node was there';
    if (caught > errors.length) yield `was caught ${caught} times`;
    if (caught < errors.length && !isAmidDeploy) yield `had an error (${error}) that was not caught`;
    if (error && results.length > 0 && !isSequence) yield 'had a result and an error';
    if (error) {
      yield* gapsIn(results);
      return;
    }
    if (isReset) {
      if (outputs.length > 0) yield 'passed a reset on';
      return;
    }
    if (isSequence) yield* gapsIn(results);
    if (wasReset && (results.length === 0 || isSequence)) return;
    if (isSequence && results.length > 0 && results.at(-1).count !== results.length) {
      yield `sent ${results.length} parts of ${results.at(-1).count}`;
    }
    if (!isSequence && results.length !== 1) yield `sent ${results.length} results`;
    if (kind !== 'search' && results.length === 0) yield 'sent nothing';
    if (outputs.length > 0 && outputs.at(-1).output === progress) yield 'sent progress after its result';
    const isSkipped = results[0]?.status === 'SKIPPED';
    if (mutation && !isSkipped && !this.#mutations.has(`${number} ${mutation}`)) {
      yield `had a result (${results[0]?.status}), but its ${mutation} did not reach the server`;
    }
  }
}

/** Yields what is wrong with the order of the parts of a sequence. */
function* gapsIn(results) {
  const indexes = results.map(({ index }) => index);
  if (indexes.some((index, place) => index !== undefined && index !== place)) {
    yield `sent the parts ${indexes.join()}`;
  }
}
