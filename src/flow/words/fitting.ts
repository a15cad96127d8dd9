// Types that check at compile time whether the texts of a node fit its catalogue.
import type shared from '../../../nodes/server/words/en-US.json';
import type { KeyOf, PlaceholderOf } from './catalogue';
import type { Detail, Wording } from './summary';

/**
 * `Result` if an action node's replies fit its catalogue: each outcome, status and detail has words, all placeholders have
 * values, and no words are unused. Otherwise a type that no constructor fits and whose keys say what is wrong.
 */
export type ReplyFitting<Words, Reply, Result> = Fitting<
  Words,
  SummaryOf<Reply> | StatusOf<Reply> | Said<'status.busy', never> | DetailsOf<Reply>,
  Result
>;

/** The same for a trigger node. */
export type EventFitting<Words, Message, Status, Result> = Fitting<
  Words,
  SummaryOf<Message> | StatusOf<Status> | DetailsOf<Message>,
  Result
>;

type Fitting<Words, All extends Said, Result> = [Fault<Words & Shared, All>] extends [never]
  ? Result
  : { [Wrong in Fault<Words & Shared, All>]: never };

/** The words that several nodes share, as `wordsKey` finds them. */
type Shared = Pick<typeof shared, 'summary' | 'status' | 'detail'>;

type Fault<Words, All extends Said> =
  | `missing: ${Exclude<All['key'], KeyOf<Words>>}`
  | `never used: ${Exclude<OwnKeyOf<Words>, All['key']>}`
  | NotGiven<Words, All>;

type OwnKeyOf<Words> = Exclude<
  Extract<KeyOf<Words>, `${'summary' | 'status' | 'detail'}.${string}`>,
  `${string}.job.${string}`
>;

type NotGiven<Words, One extends Said> =
  One extends Said<infer Key, infer Name>
    ? `${Key}: no value for ${Exclude<PlaceholderOf<Words, Key>, Name>}`
    : never;

/** A key of the catalogue that a node uses, and the names of the values that the node gives. */
interface Said<Key extends string = string, Name extends PropertyKey = PropertyKey> {
  key: Key;
  name: Name;
}

type SummaryOf<One> = One extends { outcome: infer Outcome extends string }
  ? Said<`summary.${Outcome}`, NameIn<One>>
  : never;

/** The status is that of the outcome unless the reply names another. */
type StatusOf<One> = One extends { status: infer Status extends string }
  ? Said<`status.${Status}`, NameIn<One>>
  : One extends { outcome: infer Outcome extends string; status?: infer Status }
    ? Said<`status.${Outcome | Extract<Status, string>}`, NameIn<One>>
    : never;

/** The names of the given values, with those that `namedValues` adds. */
type NameIn<One> =
  | (One extends Pick<Wording, 'outcome'> ? 'server' : never)
  | (One extends { values: infer Given } ? keyof Given : never)
  | (One extends { details: readonly unknown[] } ? 'details' : never);

type DetailsOf<One> = One extends { details: readonly (infer Part)[] }
  ? Part extends Detail<infer Key, infer Name>
    ? Said<`detail.${Key}`, Name>
    : never
  : never;
