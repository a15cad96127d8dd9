export { addSidebarTab, removeSidebarTab } from './tab';
