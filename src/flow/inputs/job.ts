import { checkbox, choice, minutes } from './static';

/** The properties of every node that starts a job: when to send the message, and how long the job may take. */
export const jobInputs = {
  reply: choice('reply', ['started', 'finished']),
  sendFailed: checkbox('sendFailed'),
  waitLimit: minutes('waitLimit', 0),
  stalledAfter: minutes('stalledAfter', 10),
};
