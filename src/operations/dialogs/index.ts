export { capabilities } from './capabilities';
export { itemChoices } from './item-choices';
