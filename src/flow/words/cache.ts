import type { NodeAPI } from 'node-red';

/**
 * Returns Node-RED's API with a cache of the last text of each key. Under load, i18next takes a quarter of the time of a
 * message, and most texts repeat: a flow that requests the status every minute gets the same sentence each time, and the
 * messages of a burst share theirs.
 */
export function withCachedTexts(RED: NodeAPI): NodeAPI {
  const last = new Map<string, { values: string; text: string }>();
  const find: NodeAPI['_'] = (key, values?: object) => {
    const given = JSON.stringify(values ?? {});
    const known = last.get(key);
    if (known?.values === given) return known.text;
    const text = RED._(key, values as Record<string, string>);
    last.set(key, { values: given, text });
    return text;
  };
  return Object.assign(Object.create(RED) as NodeAPI, { _: find });
}
