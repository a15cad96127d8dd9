import { json, send } from './stand-in/answers';
import type { StandIn } from './stand-in/stand-in';

type Fields = Readonly<Record<string, readonly string[]>>;

interface Told {
  data: Record<string, Partial<Record<'fields' | 'inputFields', { name: string }[] | null>> | null>;
}

/** Lets a stand-in tell a schema that differs from its own: fields of types that it has, and that it lacks. */
export function tellSchema(stash: StandIn, { has = {}, lacks = {} }: { has?: Fields; lacks?: Fields }): void {
  stash.answerWith(
    async (request, response, _body, execute) => {
      const answer = await execute();
      if (answer.status !== 200) {
        send(request, response, answer);
        return;
      }
      const told = JSON.parse(answer.body.toString()) as Told;
      for (const [name, type] of Object.entries(told.data)) {
        const list = type?.fields ?? type?.inputFields ?? [];
        const kept = list.filter((field) => !lacks[name]?.includes(field.name));
        list.splice(0, Infinity, ...kept, ...(has[name] ?? []).map((field) => ({ name: field })));
      }
      send(request, response, json(told));
    },
    { field: '__type' },
  );
}
