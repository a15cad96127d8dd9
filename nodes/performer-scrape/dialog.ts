import { documentedFields, performerFields } from '../../src/contract/performers';
import { isFilled } from '../../src/contract/values';
import {
  number,
  performerPicker,
  selection,
  showChoices,
  sourceInput,
  stash,
  TypedInput,
} from '../../src/editor';

const performer = new TypedInput('performer', {
  value: 'payload',
  type: 'msg',
  pickers: [performerPicker()],
  item: (one) => isFilled(typeof one === 'object' && one !== null && 'name' in one ? one.name : one),
  isSingle: true,
  invalid: 'performer-scrape:invalid.performer',
});
const source = sourceInput(({ scrapes }) => scrapes);

stash.registerType('stash-performer-scrape', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-performer-scrape.svg',
  inputs: 1,
  outputs: 2,
  defaults: {
    performer: performer.value,
    performerType: performer.type,
    source: source.value,
    sourceType: source.type,
    fields: selection([...documentedFields], 'performer-scrape:invalid.fields'),
    listMaxAge: number('10', 'performer-scrape:invalid.listMaxAge'),
  },
  // With a disambiguation, performer save would not find a performer in Stash who has none.
  fresh: () => ({ fields: performerFields.filter((field) => field !== 'disambiguation') }),
  oneditprepare(server) {
    performer.show(server);
    source.show(server);
    showChoices($('#node-input-fields'));
  },
  labelSuffix() {
    const value = performer.shownIn(this);
    return value && `: ${value}`;
  },
});
