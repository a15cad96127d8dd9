import type { NodeAPI } from 'node-red';
import {
  actionNode,
  addQuestionRoute,
  addTrialRoute,
  checkbox,
  detail,
  endOf,
  type FindText,
  jobInputs,
  MOST_RESULTS,
  type NodeRED,
  type Preview,
  startOf,
} from '../../src/flow';
import { documentHelp, firstList, query, type QueryAnswer, tryQuery } from '../../src/operations/query';
import type words from './words/en-US.json';
import { document, isPaced, pageSize, variables } from './inputs';

const inputs = {
  document: document('document'),
  variables: variables('variables', 'values'),
  pages: checkbox('pages'),
  perPage: pageSize('perPage'),
  partial: checkbox('partial'),
  ...jobInputs,
};

/** stash-query: sends any query or mutation to the server. */
export default (RED: NodeRED<typeof words>): void => {
  addQuestionRoute(RED as NodeAPI, 'document', documentHelp);
  addTrialRoute(RED as NodeAPI, 'query', {
    inputs,
    run: async (server, input, call) => {
      const answer = await tryQuery(server, { ...input, perPage: MOST_RESULTS }, call);
      return { ...answer, isPage: input.pages };
    },
    preview,
  });
  RED.nodes.registerType(
    'stash-query',
    actionNode(RED, {
      inputs,
      isPaced,
      run: query,
      reply: (answer, _, text) => {
        const { operation, data: payload, errors, job, part } = answer;
        const stash = { ...(errors && { errors }), ...(job && { job }) };
        const common = { operation, stash };
        if (job) return { ...common, ...wordsOfJob(answer, job, text), payload };
        const failed = errors ? [detail('errors', { count: errors.length })] : [];
        const details = [...whatCame(answer), ...failed];
        const values = { operation };
        const about = { ...common, payload, details, isBad: errors !== undefined };
        if (!part) {
          const outcome = answer.type === 'query' ? 'answered' : 'changed';
          return { ...about, outcome, values };
        }
        const page = part.index + 1;
        return { ...about, part, outcome: 'page', values: { ...values, page, count: page } };
      },
    }),
  );
};

/** Returns the items that the answer lists, or its fields. */
function preview({ data, errors = [], isPage }: QueryAnswer & { isPage: boolean }): Preview {
  const found = firstList(data);
  if (!found) return { fields: data, errors };
  const { items, count } = found;
  // The next pages are not known, unless the document requests the number of all items.
  if (isPage && items.length === MOST_RESULTS) return { list: items, count: count ?? null, errors };
  return { list: items, count: Math.max(count ?? 0, items.length), sent: items.length, errors };
}

function wordsOfJob(
  { operation }: QueryAnswer,
  job: NonNullable<QueryAnswer['job']>,
  text: FindText<typeof words>,
) {
  const what = text('what.task', { operation });
  return 'description' in job ? endOf(job, what) : startOf(job, what);
}

/** Returns how many items the answer lists, if it lists any kind of them. */
function whatCame({ data }: QueryAnswer) {
  const [result, ...others] = Object.values(data);
  if (others.length > 0 || typeof result !== 'object' || result === null) return [];
  const list: unknown = Array.isArray(result) ? result : Object.values(result).find(Array.isArray);
  return Array.isArray(list) ? [detail('items', { count: list.length })] : [];
}
