import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isText } from '../server/shape';
import { type Job, started } from './job';

/** The kinds of content that can be generated, as the interface document names them (part 4). */
export const generateKinds = ['sprites', 'previews', 'imagePreviews', 'markers', 'transcodes'] as const;
export type GenerateKind = (typeof generateKinds)[number];

/** Starts to generate the chosen kinds for the whole library; all five are sent, a kind not chosen as false. */
export async function generate(
  server: Server,
  { kinds }: { kinds: readonly GenerateKind[] },
  call: Call,
): Promise<{ operation: string; job: Job }> {
  const operation = 'metadataGenerate';
  const input = Object.fromEntries(generateKinds.map((kind) => [kind, kinds.includes(kind)]));
  const answer = await server.request({
    operation,
    document: 'mutation ($input: GenerateMetadataInput!) { metadataGenerate(input: $input) }',
    variables: { input },
    shape: isText,
    kind: 'mutation',
    call,
  });
  return { operation, job: started(answer) };
}
