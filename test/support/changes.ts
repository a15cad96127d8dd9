import assert from 'node:assert/strict';
import { plugin } from '../../src/contract/plugin';
import { timing } from '../../src/timing';
import type { FakeStash } from '../fake-stash/fake-stash';

/** Checks often whether changes can be heard, as long as `task` runs. */
export async function checkingOften<Result>(task: () => Promise<Result>): Promise<Result> {
  const usual = { ...timing.changes };
  Object.assign(timing.changes, { check: 10, missingPoll: 30, longestSilence: 2000, firstRetry: 10 });
  try {
    return await task();
  } finally {
    Object.assign(timing.changes, usual);
  }
}

/** Installs the plugin in Stash, whose hooks run from now on. */
export function installPlugin(stash: FakeStash): void {
  stash.plugins = [...stash.plugins, { ...plugin, name: 'Node-RED', tasks: [] }];
}

/** Whether a changes node hears what happens. @param before how many requests to leave out. */
export function isHearing({ requests, sockets }: FakeStash, before = 0): boolean {
  const checks = requests.slice(before).filter(({ body }) => body?.query?.includes('id version enabled'));
  const isChecked = checks.some(({ endedAt }) => endedAt < Infinity);
  return isChecked && sockets.subscribed.includes('loggingSubscribe');
}

/** Sends a mutation, as somebody does with Stash's pages. @returns `data` of the response. */
export async function mutate(
  stash: FakeStash,
  mutation: string,
): Promise<Record<string, { id: string } | null>> {
  const response = await fetch(`${stash.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(stash.apiKey && { ApiKey: stash.apiKey }) },
    body: JSON.stringify({ query: `mutation { ${mutation} }` }),
  });
  const { data, errors } = (await response.json()) as {
    data: Record<string, { id: string } | null>;
    errors?: unknown;
  };
  assert.equal(errors, undefined);
  return data;
}

/** Rates a scene, as somebody does with Stash's pages. */
export async function rate(stash: FakeStash, id: string, rating: number): Promise<void> {
  await mutate(stash, `sceneUpdate(input: { id: ${id}, rating100: ${rating} }) { id }`);
}
