export { Activity } from './activity';
export { listAsDeployed } from './deployed-servers';
