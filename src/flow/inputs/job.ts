import { checkbox, choice, minutes } from './static';

/** What each node that starts a job lets a user choose: when its message is sent, and how long the job may take. */
export const jobInputs = {
  reply: choice('reply', ['started', 'finished']),
  sendFailed: checkbox('sendFailed'),
  waitLimit: minutes('waitLimit', 0),
  stalledAfter: minutes('stalledAfter', 10),
};
