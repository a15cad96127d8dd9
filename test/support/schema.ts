import { json, send } from '../fake-stash/answers';
import type { FakeStash } from '../fake-stash/fake-stash';

type Fields = Readonly<Record<string, readonly string[]>>;

interface Introspection {
  data: Record<string, { fields: { name: string }[] | null } | null>;
}

/** Adds fields to the introspection of a fake server. */
export function extendSchema(stash: FakeStash, { has }: { has: Fields }): void {
  stash.answerWith(
    async (request, response, _body, execute) => {
      const answer = await execute();
      if (answer.status !== 200) {
        send(request, response, answer);
        return;
      }
      const introspection = JSON.parse(answer.body.toString()) as Introspection;
      for (const [name, type] of Object.entries(introspection.data)) {
        type?.fields?.push(...(has[name] ?? []).map((field) => ({ name: field })));
      }
      send(request, response, json(introspection));
    },
    { field: '__type' },
  );
}
